package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests what compaction leaves of heartbeats. */
class HeartbeatSweepTest {
    private static final String ID = "0123456789abcdef";
    private static final long GRACE_MS = CompactOptions.DEFAULT.graceMs();

    private final MemoryStore store = new MemoryStore();

    private CompactSummary compact() throws IOException {
        return new Compact(store, CompactOptions.DEFAULT, store::nowMs, Undamaged.COMPACT).host(ID);
    }

    private void speak(long from, long to) throws IOException {
        for (long number = from; number <= to; number++) {
            new Heartbeat(Heartbeat.State.RUNNING, 0, 1, 0, 0, 0, 0, 0, "", "", "", 0, 0, 0).put(store, ID, 1, number);
        }
    }

    /** They go when they are old by the store's clock, but for the newest, which never goes. */
    @Test
    void keepsTheYoungAndTheNewest() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.commit();
        }
        speak(1, 250);
        compact();
        assertThat(store.keys("/alive/")).hasSize(250);
        store.advance(GRACE_MS);
        speak(251, 252);
        assertThat(compact().removedBytes()).isPositive();
        assertThat(store.keys("/alive/"))
                .containsExactly(ArchiveLayout.heartbeat(ID, 1, 252), ArchiveLayout.heartbeat(ID, 1, 251));
        store.advance(2 * GRACE_MS);
        compact();
        assertThat(store.keys("/alive/")).containsExactly(ArchiveLayout.heartbeat(ID, 1, 252));
    }

    /** That a shipper was fenced is said once, so it stays until somebody removes the host. */
    @Test
    void keepsTheLastWordsOfTheFenced() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.commit();
        }
        String fenced = ArchiveLayout.fenced(ID, 1, "00000000000000ff");
        new Heartbeat(Heartbeat.State.FENCED, 0, 1, 0, 0, 0, 0, 0, "", "", "", 0, 0, 0).putBeside(store, fenced);
        speak(1, 3);
        store.advance(3 * GRACE_MS);
        compact();
        assertThat(store.keys("/alive/")).containsExactly(fenced, ArchiveLayout.heartbeat(ID, 1, 3));
    }
}
