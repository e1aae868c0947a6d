package tests.support;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
    private final AtomicReference<@Nullable String> losing = new AtomicReference<>();
    private volatile @Nullable ServerSocket server;
    private volatile boolean lost;

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

    /**
     * The next transaction whose last statement contains this text is committed, and its connection breaks before the
     * answer to the commit arrives.
     */
    public void loseAnswerToCommitOf(String statement) {
        losing.set(statement);
    }

    /** Whether that has happened. */
    public boolean hasLostAnswer() {
        return lost;
    }

    private void connect(Socket client) throws IOException {
        var postgres = new Socket("localhost", target);
        client.setTcpNoDelay(true);
        postgres.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(postgres);
        var deaf = new AtomicBoolean();
        start(() -> forward(client, postgres, deaf));
        start(() -> {
            try (client;
                    postgres) {
                var answer = new byte[65_536];
                int length;
                while ((length = postgres.getInputStream().read(answer)) >= 0 && !deaf.get()) {
                    client.getOutputStream().write(answer, 0, length);
                }
                lost |= deaf.get();
            }
        });
    }

    /** From the application to the server, message by message; the first one has no type letter. */
    private void forward(Socket client, Socket postgres, AtomicBoolean deaf) throws IOException {
        try (client;
                postgres) {
            var in = new DataInputStream(new java.io.BufferedInputStream(client.getInputStream(), 65_536));
            var out = new java.io.BufferedOutputStream(postgres.getOutputStream(), 65_536);
            int length = in.readInt();
            writeInt(out, length);
            copy(in, out, length - 4);
            out.flush();
            int executionsLeft = Integer.MAX_VALUE; // until the answers are lost
            while (true) {
                int type = in.read();
                if (type < 0) {
                    return;
                }
                messages.computeIfAbsent((char) type, t -> new AtomicLong()).incrementAndGet();
                out.write(type);
                length = in.readInt();
                writeInt(out, length);
                var message = copy(in, out, length - 4);
                if (type == 'P' && contains(message, losing.get())) {
                    losing.set(null);
                    executionsLeft = 2; // the statement itself, and the commit
                } else if (type == 'E' && --executionsLeft == 0) {
                    deaf.set(true);
                }
                if (in.available() == 0) {
                    out.flush();
                }
            }
        }
    }

    private static boolean contains(byte[] message, @Nullable String text) {
        return text != null && new String(message, StandardCharsets.ISO_8859_1).contains(text);
    }

    private static byte[] copy(InputStream in, OutputStream out, int length) throws IOException {
        var message = in.readNBytes(length);
        out.write(message);
        return message;
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
