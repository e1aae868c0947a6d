package tests.operations;

import app.AccessApplication;
import java.net.http.HttpResponse;
import tests.support.ManagementPort;

/** The operator's page of an instance. */
record OperatorPage(ManagementPort port) {

    private static final String PATH = "/observe/operator";

    static OperatorPage of(AccessApplication application) {
        return new OperatorPage(ManagementPort.of(application));
    }

    String url() {
        return port.url(PATH);
    }

    String html() {
        return port.get(PATH).body();
    }

    /** @param query with its question mark */
    HttpResponse<String> ask(String method, String query) {
        return port.ask(method, PATH + query);
    }
}
