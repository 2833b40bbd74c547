package io.chagres.ship.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.LogEnd;
import io.chagres.archive.store.FaultyStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Tests what a shipper notices that lives while somebody removes what it wrote. */
class LogPresenceTest {
    private static final String ID = "00000000000000aa";
    private static final long INTERVAL_MS = 60_000;

    private final MemoryStore memory = new MemoryStore();
    private boolean refuses;
    private int looks;
    private final FaultyStore store = new FaultyStore(memory, (operation, done) -> {
        looks += done ? 0 : 1;
        if (refuses) {
            throw new StoreException("503", new IOException());
        }
    });

    /** Writes two commits and returns what looks after them. */
    private LogPresence presence() throws IOException {
        CommitLog log = new CommitLog(store, ID, new byte[16], new LogEnd(0, new byte[32], 0, 0, null), () -> 0);
        try (CommitBuilder commit = new CommitBuilder(1 << 20, 1)) {
            for (int i = 0; i < 2; i++) {
                commit.reset();
                commit.records().write(new LogRecord.IncarnationClosed(true));
                log.append(commit);
            }
        }
        looks = 0;
        return new LogPresence(log, new Offload(Runnable::run, () -> {}));
    }

    private void put(String key) throws IOException {
        memory.putIfAbsent(key, MemorySegment.ofArray(new byte[1]));
    }

    @Test
    void looksOnceInAnInterval() throws IOException {
        LogPresence presence = presence();
        for (long nowMs = 1000; nowMs < 1000 + 10 * INTERVAL_MS; nowMs += 1000) {
            presence.step(nowMs, INTERVAL_MS, 0);
        }
        assertThat(looks).isEqualTo(9);
    }

    @Test
    void twoMissesAreALoss() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0);
        memory.delete(ArchiveLayout.commit(ID, 2));
        presence.step(INTERVAL_MS, INTERVAL_MS, 0);
        presence.step(INTERVAL_MS + 1, INTERVAL_MS, 5);
        presence.step(INTERVAL_MS * 2, INTERVAL_MS, 5);
        assertThatThrownBy(() -> presence.step(INTERVAL_MS * 2 + 1, INTERVAL_MS, 5))
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining(ArchiveLayout.commit(ID, 2))
                .hasMessageContaining("is not in the archive any more");
    }

    @Test
    void oneMissIsNone() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0);
        memory.delete(ArchiveLayout.commit(ID, 2));
        for (int i = 1; i < 20; i++) {
            presence.step(i * INTERVAL_MS, INTERVAL_MS, 0);
            if (i % 2 == 0) {
                memory.delete(ArchiveLayout.commit(ID, 2));
            } else {
                put(ArchiveLayout.commit(ID, 2));
            }
        }
        assertThat(looks).isGreaterThan(19);
    }

    @Test
    void compactedAndRefusedIsNotLost() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0);
        put(ArchiveLayout.checkpoint(ID, 2));
        memory.delete(ArchiveLayout.commit(ID, 2));
        for (int i = 1; i < 10; i++) {
            presence.step(i * INTERVAL_MS, INTERVAL_MS, 0);
        }
        refuses = true;
        memory.keys("/checkpoints/").forEach(memory::delete);
        for (int i = 10; i < 20; i++) {
            presence.step(i * INTERVAL_MS, INTERVAL_MS, 0);
        }
        assertThat(looks).isEqualTo(9 * 2 + 10);
    }
}
