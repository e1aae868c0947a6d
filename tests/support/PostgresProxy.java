package tests.support;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A wire between the application and PostgreSQL that can be cut and mended, and that counts what goes over it by the type
 * letter of PostgreSQL's protocol: E for an executed statement, S for a round trip.
 */
public final class PostgresProxy implements AutoCloseable {

    private final int port;
    private final int target;
    private final Map<Character, AtomicLong> messages = new ConcurrentHashMap<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile @Nullable ServerSocket server;

    public PostgresProxy(int target) throws IOException {
        this.target = target;
        try (var free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
        }
        mend();
    }

    /** The URL through this wire; without TLS, which the counter could not read. */
    public String url(String database) {
        return "jdbc:postgresql://localhost:" + port + "/" + database + "?sslmode=disable&gssEncMode=disable";
    }

    public long count(char type) {
        return messages.computeIfAbsent(type, t -> new AtomicLong()).get();
    }

    /** Refuses connections and ends those that are open. */
    public void cut() throws IOException {
        var listening = server;
        server = null;
        if (listening != null) {
            listening.close();
        }
        for (var socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    public void mend() throws IOException {
        var listening = new ServerSocket(port);
        server = listening;
        start(() -> {
            while (server == listening) {
                connect(listening.accept());
            }
        });
    }

    private void connect(Socket client) throws IOException {
        var postgres = new Socket("localhost", target);
        client.setTcpNoDelay(true);
        postgres.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(postgres);
        start(() -> forward(client, postgres));
        start(() -> {
            try (client;
                    postgres) {
                postgres.getInputStream().transferTo(client.getOutputStream());
            }
        });
    }

    /** From the application to the server, message by message; the first one has no type letter. */
    private void forward(Socket client, Socket postgres) throws IOException {
        try (client;
                postgres) {
            var in = new DataInputStream(new java.io.BufferedInputStream(client.getInputStream(), 65_536));
            var out = new java.io.BufferedOutputStream(postgres.getOutputStream(), 65_536);
            int length = in.readInt();
            writeInt(out, length);
            copy(in, out, length - 4);
            out.flush();
            while (true) {
                int type = in.read();
                if (type < 0) {
                    return;
                }
                messages.computeIfAbsent((char) type, t -> new AtomicLong()).incrementAndGet();
                out.write(type);
                length = in.readInt();
                writeInt(out, length);
                copy(in, out, length - 4);
                if (in.available() == 0) {
                    out.flush();
                }
            }
        }
    }

    private static void copy(InputStream in, OutputStream out, int length) throws IOException {
        out.write(in.readNBytes(length));
    }

    private static void writeInt(OutputStream out, int value) throws IOException {
        out.write(value >>> 24);
        out.write(value >>> 16);
        out.write(value >>> 8);
        out.write(value);
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void start(Step step) {
        var thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException e) {
                // the wire was cut
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        cut();
    }
}
