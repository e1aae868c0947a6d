package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import demo.DevelopmentMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.camel.support.RouteWatcherReloadStrategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tests.support.Metrics;
import tests.support.TestSystem;

@DisplayName("Development mode")
class DevelopmentModeTest {

    private static final Path DOCUMENT = Path.of("docs/editing-routes.md");
    private static final Path ROUTE = Path.of("routes/identity/FanOutPageRoute.java");

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @TempDir
    Path folder;

    @Test
    @DisplayName("cases 44: an edited route replaces the running one; one that does not compile leaves it alone")
    void reload() throws IOException {
        var original = Files.readString(ROUTE);
        var edited = original.replace(block("before"), block("after"));
        assertThat(edited).as("the document's example changes the route").isNotEqualTo(original);
        var file = folder.resolve(ROUTE);
        Files.createDirectories(file.getParent());
        Files.writeString(file, original);

        try (var application = DevelopmentMode.start(
                DevelopmentMode.reloading(system.settings("identity.fanout.batch-size", "10"), folder))) {
            Files.writeString(file, edited.replaceFirst(";", ""));
            await().until(() -> reloads(application).getFailedCounter() > 0);
            tellEverybody();
            assertThat(Metrics.of(application).scrape()).doesNotContain("identity_access_full_pages_total");

            Files.writeString(file, edited);
            await().until(() -> reloads(application).getReloadCounter() > 0);
            tellEverybody();
            assertThat(Metrics.of(application)
                            .value("identity_access_full_pages_total{camelContext=\"access-routes\"}"))
                    .isEqualTo(2);
        }
    }

    /** A role of 25 users, in three pages. */
    private void tellEverybody() {
        var identity = system.identity();
        var role = identity.role("agent", "crm.leads.read");
        identity.usersOf(role, 25);
        var task = identity.enqueue(role);
        await().until(() -> identity.status(task).equals("Completed"));
    }

    private static RouteWatcherReloadStrategy reloads(AccessApplication application) {
        return Objects.requireNonNull(application.camel().hasService(RouteWatcherReloadStrategy.class));
    }

    /** The lines of the document's example, indented as the route is. */
    private static String block(String which) throws IOException {
        var block = Pattern.compile("<!-- " + which + " -->\n```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(DOCUMENT));
        assertThat(block.find()).as(which + " in " + DOCUMENT).isTrue();
        return block.group(1);
    }
}
