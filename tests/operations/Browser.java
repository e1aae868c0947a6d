package tests.operations;

import app.AccessApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Asks the management port of an instance for the operator's page. */
final class Browser {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String url;

    Browser(AccessApplication application) {
        url = application.camel().resolvePropertyPlaceholders("http://localhost:{{management.port}}/observe/operator");
    }

    String url() {
        return url;
    }

    String page() {
        return ask("GET", "").body();
    }

    /** @param query with its question mark */
    HttpResponse<String> ask(String method, String query) {
        try {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create(url + query))
                            .method(method, HttpRequest.BodyPublishers.noBody())
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
