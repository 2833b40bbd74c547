package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever number of files counts as large, a repair does the same. */
class LargeRepairTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();

    private void fill() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                ids.add(host.file("/d" + i % 7 + "/f" + i, "line " + i + "\n"));
                if (i % 10 == 9) {
                    host.commit();
                }
                if (i == 29) {
                    compact();
                }
            }
            host.move("/d3", "/e3");
            host.remove("/d4/f4");
            host.inline(ids.get(5), "more\n");
            host.commit();
        }
    }

    private void compact() throws IOException {
        CompactOptions options = new CompactOptions(86_400_000, 0, 1, 4 << 20, false);
        new Compact(store, options, store::nowMs, Undamaged.COMPACT).host(ID);
    }

    private static List<String> repair(MemoryStore of, int largeVersions, boolean apply) throws IOException {
        List<String> steps = new ArrayList<>();
        Pathname directory = Pathname.of(System.getProperty("java.io.tmpdir"));
        try (LocalTables tables = LocalTables.unnamed(directory, largeVersions, () -> {})) {
            RepairListener listener = (action, object, why, consequence) -> steps.add(action + " " + object);
            new Repair(of, ID, tables, of::nowMs, listener).run(apply);
        }
        return steps;
    }

    /** Nothing, a commit or a checkpoint is damaged. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/log/0000000000000002", "/log/0000000000000005", "/checkpoints/"})
    void isTheSameHowManyVersionsEverAreLarge(String damaged) throws IOException {
        fill();
        if (!damaged.isEmpty()) {
            String key = store.keys(damaged).getFirst();
            byte[] bytes = store.bytes(key).clone();
            bytes[bytes.length / 2] ^= 1;
            store.replace(key, bytes);
        }
        MemoryStore small = store.copy();
        MemoryStore large = store.copy();
        for (boolean apply : new boolean[] {false, true}) {
            List<String> expected = repair(small, LocalTables.LARGE_VERSIONS, apply);
            assertThat(repair(large, 0, apply)).isEqualTo(expected);
            assertThat(expected.isEmpty()).isEqualTo(damaged.isEmpty());
        }
        assertThat(repair(large, 0, false)).isEmpty();
        assertThat(large.keys(ArchiveLayout.QUARANTINE)).isEqualTo(small.keys(ArchiveLayout.QUARANTINE));
        assertThat(CompactTest.faults(large)).hasSameSizeAs(CompactTest.faults(small));
    }
}
