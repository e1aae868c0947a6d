package tests.news;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import processors.consuming.Parts;

@DisplayName("Parts of a batch")
class PartsTest {

    @ParameterizedTest(
            name = "cases 28: of {0} records the refused ones are found, and the others stored in their order")
    @ValueSource(ints = {1, 2, 3, 4, 5, 17, 500})
    void finds(int size) {
        var batch = IntStream.range(0, size).boxed().toList();
        for (var bad :
                List.of(Set.of(0), Set.of(size - 1), Set.copyOf(List.of(size / 2, size / 3)), Set.copyOf(batch))) {
            var parts = new Parts<>(batch);
            var stored = new ArrayList<Integer>();
            var refused = new ArrayList<Integer>();
            while (parts.isOpen()) {
                var part = parts.next();
                if (part.stream().noneMatch(bad::contains)) {
                    stored.addAll(part);
                } else if (parts.refuse(part)) {
                    refused.addAll(part);
                }
            }
            assertThat(refused).isSorted().containsExactlyInAnyOrderElementsOf(bad);
            assertThat(stored).isSorted().hasSize(size - bad.size()).doesNotContainAnyElementsOf(bad);
        }
    }
}
