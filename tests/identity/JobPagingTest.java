package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import processors.identity.JobPaging;

@DisplayName("The pages of a job")
class JobPagingTest {

    private static final UUID ROLE = UUID.randomUUID();

    private final JobPaging start = JobPaging.upTo(1_000).about(ROLE);

    @Test
    @DisplayName("EVT-03 what is refused is found by halving without waiting, and is passed over alone")
    void refused() {
        var paging = start;
        for (int chosen = 600; chosen > 1; chosen = paging.rows()) {
            paging = paging.refused(chosen);
            assertThat(paging.failures()).as("waits").isZero();
            assertThat(paging.rows()).isEqualTo(chosen / 2);
        }

        assertThat(paging.refused(1).skip()).isOne();
        assertThat(paging.refused(1).failures()).as("waits").isOne();
        assertThat(paging.refused(1).succeeded().rows()).isEqualTo(2);
    }

    @Test
    @DisplayName("EVT-03 what is passed over of one archived role holds up nobody of the next")
    void anotherSubject() {
        var passing = start.refused(1);

        assertThat(passing.about(ROLE).skip()).isOne();
        assertThat(passing.about(UUID.randomUUID()).skip()).isZero();
    }

    @Test
    @DisplayName("EVT-03 a row that alone runs into a time-out again and again is passed over, but not at once")
    void timeOut() {
        var paging = start;
        int failures = 0;
        while (paging.skip() == 0) {
            paging = paging.failed(1);
            assertThat(++failures).isLessThan(20);
        }

        assertThat(failures).isGreaterThan(10);
    }

    @Test
    @DisplayName("EVT-03 an outage passes over nobody, however long it takes")
    void outage() {
        var paging = start;
        for (int i = 1; i <= 100; i++) {
            paging = i % 2 == 0 ? paging.failed(0) : paging.refused(0);
            assertThat(paging.failures()).isEqualTo(i);
        }

        assertThat(paging.skip()).isZero();
        assertThat(paging.rows()).isOne();
    }
}
