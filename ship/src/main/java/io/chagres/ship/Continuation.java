package io.chagres.ship;

import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.LogEnd;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.ship.file.LoadedRows;
import io.chagres.ship.file.ResumePoints;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Begins the log of a host that continues another one, whose log is damaged. The new log has the names and versions of
 * the damaged one, each version from the first byte that is no longer proven. Nothing is written to the damaged log. If
 * the shipper ends on the way, the next one continues it: the log counts as begun with its first incarnation. Confined
 * to one thread.
 */
final class Continuation {
    private static final int COMMIT_BYTES = 8 << 20;

    private final BlobStore store;
    private final String hostId;
    private final LogEnd end;
    private final LoadedRows begun;
    private final Clock clock;
    private final @Nullable SigningKey key;
    private final LoadedRows old;

    /**
     * Prepares.
     *
     * @param hostId the new host
     * @param end of its log
     * @param begun its log so far
     * @param key signs its commits; null for nobody
     * @param progress as of {@link LoadedRows}, of the damaged host
     */
    Continuation(
            BlobStore store,
            String hostId,
            LogEnd end,
            LoadedRows begun,
            Clock clock,
            @Nullable SigningKey key,
            LongConsumer progress) {
        this.key = key;
        this.end = end;
        this.store = store;
        this.hostId = hostId;
        this.begun = begun;
        this.clock = clock;
        old = LoadedRows.ofDamaged(progress);
    }

    /** Reads the rest of the damaged host. */
    HostState read(String damagedId, Salvage.Listener losses) throws IOException {
        Salvage.Listener noting = new Salvage.Listener() {
            @Override
            public void lost(String object, String cause, String consequence) {
                losses.lost(object, cause, consequence);
            }

            @Override
            public void unreadable(long seq) {
                points().unreadable(seq);
            }
        };
        return Salvage.load(store, damagedId, old, noting);
    }

    /** Commits the first records of the new host. */
    void write() throws IOException {
        byte[] incarnation = new byte[16];
        new SecureRandom().nextBytes(incarnation);
        CommitLog log = new CommitLog(store, hostId, incarnation, end, clock::millis, key);
        CommitCheck check = begun.check();
        try (CommitBuilder commit = new CommitBuilder(COMMIT_BYTES, 3)) {
            old.giveBeginnings(begun, record -> {
                commit.records().write(record);
                appendIf(commit.isFull(), commit, log, check);
            });
            appendIf(!commit.isEmpty(), commit, log, check);
        }
        old.end();
    }

    /** Returns the facts about the bytes that the damaged host holds. */
    ResumePoints points() {
        return old.points();
    }

    private static void appendIf(boolean now, CommitBuilder commit, CommitLog log, CommitCheck check)
            throws IOException {
        if (now) {
            check.apply(commit);
            log.append(commit);
            commit.reset();
        }
    }
}
