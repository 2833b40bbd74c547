package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.SpillFile;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptCommitsTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();

    /** A host of a million small commits is read commit by commit. */
    @Test
    void aSmallCommitTakesLittle() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long log = host.file("/log");
            for (int i = 0; i < 100; i++) {
                host.inline(log, "a line\n");
                host.commit();
            }
        }
        List<String> commits = store.keys("/log/");
        assertThat(commits).hasSize(100);
        try (Arena arena = Arena.ofConfined();
                SpillFile file = LocalTables.temporary().spill();
                KeptCommits kept = new KeptCommits(store, ID, 0, file)) {
            MemorySegment target = arena.allocate(4096);
            commits.forEach(key -> read(kept, key, target));
            long before = Allocations.allocated();
            commits.forEach(key -> read(kept, key, target));
            assertThat((Allocations.allocated() - before) / commits.size())
                    .as("bytes for each")
                    .isLessThan(8192);
        }
    }

    private static void read(KeptCommits kept, String key, MemorySegment target) {
        try {
            assertThat(kept.get(key, 0, target)).isPositive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
