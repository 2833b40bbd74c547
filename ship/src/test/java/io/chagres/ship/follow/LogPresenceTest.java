package io.chagres.ship.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.LogEnd;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.ship.commit.StoreHealth;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Tests what a running shipper notices while somebody removes what it wrote. */
class LogPresenceTest {
    private static final String ID = "00000000000000aa";
    private static final long INTERVAL_MS = 60_000;

    private final MemoryStore memory = new MemoryStore();
    private boolean refuses;
    private int looks;
    private final StoreHealth health = new StoreHealth("store", problem -> {});
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
        return new LogPresence(log, new Offload(Runnable::run, () -> {}), health);
    }

    private void put(String key) throws IOException {
        memory.putIfAbsent(key, MemorySegment.ofArray(new byte[1]));
    }

    @Test
    void looksOnceInAnInterval() throws IOException {
        LogPresence presence = presence();
        for (long nowMs = 1000; nowMs < 1000 + 10 * INTERVAL_MS; nowMs += 1000) {
            presence.step(nowMs, INTERVAL_MS, 0, false);
        }
        assertThat(looks).isEqualTo(9 + 1); // once for the commit before the last one
    }

    @Test
    void aCommitBeforeTheLastOneIsLookedForToo() throws IOException {
        LogPresence presence = presence();
        memory.delete(ArchiveLayout.commit(ID, 1));
        presence.demand();
        assertThatThrownBy(() -> {
                    for (long nowMs = 3; nowMs < 5000; nowMs++) {
                        presence.step(nowMs, INTERVAL_MS, 0, true);
                    }
                })
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining(ArchiveLayout.commit(ID, 1));
    }

    @Test
    void twoMissesAreALoss() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0, false);
        memory.delete(ArchiveLayout.commit(ID, 2));
        presence.step(INTERVAL_MS, INTERVAL_MS, 0, false);
        presence.step(INTERVAL_MS + 1, INTERVAL_MS, 5, false);
        presence.step(INTERVAL_MS * 2, INTERVAL_MS, 5, false);
        assertThatThrownBy(() -> presence.step(INTERVAL_MS * 2 + 1, INTERVAL_MS, 5, false))
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining(ArchiveLayout.commit(ID, 2))
                .hasMessageContaining("is no longer in the archive");
    }

    @Test
    void oneMissIsNone() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0, false);
        byte[] commit = new byte[(int) memory.size(ArchiveLayout.commit(ID, 2))];
        memory.get(ArchiveLayout.commit(ID, 2), 0, MemorySegment.ofArray(commit));
        looks = 0;
        memory.delete(ArchiveLayout.commit(ID, 2));
        for (int i = 1; i < 20; i++) {
            presence.step(i * INTERVAL_MS, INTERVAL_MS, 0, false);
            if (i % 2 == 0) {
                memory.delete(ArchiveLayout.commit(ID, 2));
            } else {
                memory.putIfAbsent(ArchiveLayout.commit(ID, 2), MemorySegment.ofArray(commit));
            }
        }
        assertThat(looks).isGreaterThan(19);
    }

    @Test
    void compactedAndRefusedIsNotLost() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0, false);
        put(ArchiveLayout.checkpoint(ID, 2));
        put(ArchiveLayout.mark(ID, new CheckpointId(2, 0)));
        memory.delete(ArchiveLayout.commit(ID, 2));
        for (int i = 1; i < 10; i++) {
            presence.step(i * INTERVAL_MS, INTERVAL_MS, 0, false);
        }
        refuses = true;
        memory.keys("/checkpoints/").forEach(memory::delete);
        for (int i = 10; i < 20; i++) {
            presence.step(i * INTERVAL_MS, INTERVAL_MS, 0, false);
        }
        assertThat(looks).isEqualTo(9 * 3 + 10);
    }

    /** Anybody who waits for the answer gets, at once, one that was asked for after the demand. */
    @Test
    void aDemandIsMetByALookAfterIt() throws IOException {
        LogPresence presence = presence();
        presence.step(0, INTERVAL_MS, 0, true);
        assertThat(looks).isZero();
        presence.demand();
        assertThat(presence.isFound()).isFalse();
        presence.step(1, INTERVAL_MS, 0, true);
        presence.step(2, INTERVAL_MS, 0, true);
        assertThat(presence.isFound()).isTrue();
        presence.demand();
        assertThat(presence.isFound()).isFalse();
        memory.delete(ArchiveLayout.commit(ID, 2));
        assertThatThrownBy(() -> {
                    for (long nowMs = 3; nowMs < 5000; nowMs++) {
                        presence.step(nowMs, INTERVAL_MS, 0, true);
                        assertThat(presence.isFound()).isFalse();
                    }
                })
                .isInstanceOf(DamagedLogException.class);
    }

    /** A commit with the same number may be of another archive. */
    @Test
    void anotherCommitIsNotOurs() throws IOException {
        LogPresence presence = presence();
        memory.delete(ArchiveLayout.commit(ID, 2));
        put(ArchiveLayout.commit(ID, 2));
        presence.demand();
        assertThatThrownBy(() -> {
                    for (long nowMs = 0; nowMs < 5000; nowMs++) {
                        presence.step(nowMs, INTERVAL_MS, 0, true);
                    }
                })
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining("another commit");
    }

    /** The size of an object says nothing about its bytes. */
    @Test
    void aCommitThatIsDamagedInItsPlaceIsNotOurs() throws IOException {
        LogPresence presence = presence();
        byte[] commit = memory.bytes(ArchiveLayout.commit(ID, 2));
        commit[commit.length / 2] ^= 1;
        memory.replace(ArchiveLayout.commit(ID, 2), commit);
        presence.demand();
        assertThatThrownBy(() -> {
                    for (long nowMs = 0; nowMs < 5000; nowMs++) {
                        presence.step(nowMs, INTERVAL_MS, 0, true);
                        assertThat(presence.isFound()).isFalse();
                    }
                })
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining("damaged");
    }

    /** Nobody else asks an idle shipper's store: that it refuses is in the status, and nothing is found. */
    @Test
    void aRefusalIsNoAnswer() throws IOException {
        LogPresence presence = presence();
        refuses = true;
        presence.demand();
        for (long nowMs = 0; nowMs < 5000; nowMs++) {
            presence.step(nowMs, INTERVAL_MS, 0, true);
            assertThat(presence.isFound()).isFalse();
        }
        assertThat(health.trouble(5000)).contains("503");
        refuses = false;
        for (long nowMs = 5000; nowMs < 7000; nowMs++) {
            presence.step(nowMs, INTERVAL_MS, 0, true);
        }
        assertThat(presence.isFound()).isTrue();
        assertThat(health.trouble(7000)).isNull();
    }
}
