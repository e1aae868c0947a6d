package tests.identity;

import app.AccessApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Asks the management port of an instance. */
final class Http {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Http() {}

    static HttpResponse<String> get(AccessApplication application, String path) {
        return get(Integer.parseInt(application.camel().resolvePropertyPlaceholders("{{management.port}}")), path);
    }

    static HttpResponse<String> get(int port, String path) {
        try {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("the management port does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
