package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.TestSystem;
import tests.support.WorkerProcess;

@Tag("long")
@DisplayName("Memory")
class MemoryTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @Timeout(1_200)
    @DisplayName("cases 43: a role of 1,000,000 users needs no more memory than one of 10,000: a heap of 256 MB")
    void millionUsers() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.sql().update("""
                        with fresh as (insert into identity.users (id) select gen_random_uuid()
                                       from generate_series(1, 1000000) returning id)
                        insert into identity.role_assignments (id, user_id, role_id, scope_type)
                        select gen_random_uuid(), id, ?, 'Platform' from fresh""", role);
        identity.sql().execute("vacuum analyze identity.role_assignments");
        var task = identity.enqueue(role);

        var worker = WorkerProcess.start(
                system.database() + "-memory",
                system.settings(),
                List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
                List.of("run"));
        try {
            await().atMost(Duration.ofMinutes(15))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> !worker.alive()
                            || (identity.status(task).equals("Completed") && identity.outboxRows() == 0));
            assertThat(worker.alive()).as(worker::output).isTrue();
        } finally {
            worker.kill();
        }
        assertThat(identity.task(task))
                .containsEntry("processed_count", 1_000_000)
                .containsEntry("attempt_count", 1);
    }
}
