package tests.support;

import app.AccessApplication;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Properties;

/** The management port of an instance, as a probe, Prometheus or a browser asks it. */
public record ManagementPort(int number) {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    public static ManagementPort of(AccessApplication application) {
        return new ManagementPort(
                Integer.parseInt(application.camel().resolvePropertyPlaceholders("{{management.port}}")));
    }

    /** @param settings of the instance */
    public static ManagementPort of(Properties settings) {
        return new ManagementPort(Integer.parseInt(settings.getProperty("management.port")));
    }

    /** One that nobody listens on. */
    public static ManagementPort free() {
        try (var socket = new ServerSocket(0)) {
            return new ManagementPort(socket.getLocalPort());
        } catch (IOException e) {
            throw new AssertionError("no port is free", e);
        }
    }

    public String url(String path) {
        return "http://localhost:" + number + path;
    }

    public HttpResponse<String> get(String path) {
        return ask("GET", path);
    }

    /** What readiness says, in the body and by the status. */
    public HttpResponse<String> readiness() {
        return get("/observe/health/ready");
    }

    public boolean isReady() {
        return readiness().statusCode() == 200;
    }

    public boolean isLive() {
        return get("/observe/health/live").statusCode() == 200;
    }

    public HttpResponse<String> ask(String method, String path) {
        try {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create(url(path)))
                            .method(method, BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("the management port does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
