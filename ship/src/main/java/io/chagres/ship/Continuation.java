package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.LogEnd;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import io.chagres.ship.file.LoadedRows;
import io.chagres.ship.file.ResumePoints;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
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
    private final ResumePoints points = new ResumePoints(true);
    private HostState old = HostState.empty();

    /**
     * Prepares.
     *
     * @param hostId the new host
     * @param end of its log
     * @param begun its log so far
     * @param key signs its commits; null for nobody
     */
    Continuation(BlobStore store, String hostId, LogEnd end, LoadedRows begun, Clock clock, @Nullable SigningKey key) {
        this.key = key;
        this.end = end;
        this.store = store;
        this.hostId = hostId;
        this.begun = begun;
        this.clock = clock;
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
                points.unreadable(seq);
            }
        };
        old = Salvage.load(store, damagedId, PointInTime.NOW, ExtentFilter.NONE, points, noting);
        return old;
    }

    /** Commits the first records of the new host. */
    void write() throws IOException {
        byte[] incarnation = new byte[16];
        new SecureRandom().nextBytes(incarnation);
        CommitLog log = new CommitLog(store, hostId, incarnation, end, clock::millis, key);
        CommitCheck check = begun.check();
        try (CommitBuilder commit = new CommitBuilder(COMMIT_BYTES, 3)) {
            for (FileVersion version : old.versions()) {
                if (goesOn(version) && !begun.points().hasOpened(version.id())) {
                    write(version, commit);
                    appendIf(commit.isFull(), commit, log, check);
                }
            }
            for (NameTree.Entry entry : old.names()) {
                FileVersion version = entry.version();
                if ((version == null || goesOn(version)) && begun.names().get(entry.path()) == null) {
                    commit.records()
                            .write(new LogRecord.NameAdded(
                                    entry.path(),
                                    entry.kind(),
                                    version == null ? 0 : version.id(),
                                    entry.target(),
                                    entry.attributes()));
                    appendIf(commit.isFull(), commit, log, check);
                }
            }
            appendIf(!commit.isEmpty(), commit, log, check);
        }
        points.keep(old);
    }

    /** Returns the facts about the bytes that the damaged host holds. */
    ResumePoints points() {
        return points;
    }

    private static void appendIf(boolean now, CommitBuilder commit, CommitLog log, CommitCheck check)
            throws IOException {
        if (now) {
            check.apply(commit);
            log.append(commit);
            commit.reset();
        }
    }

    /** A version whose beginning is lost is of no file that could be found again. */
    private static boolean goesOn(FileVersion version) {
        boolean known = version.key().inode() != 0;
        return known && (version.nameCount() > 0 || !version.isOver());
    }

    private void write(FileVersion version, CommitBuilder commit) {
        Pathname path = version.lastPath();
        commit.records()
                .write(new LogRecord.VersionOpened(
                        version.id(),
                        version.key(),
                        0,
                        points.end(version.id()),
                        path == null ? version.openedPath() : path,
                        version.attributes()));
        LogRecord.Reason reason =
                switch (version.state()) {
                    case GROWING -> null;
                    case SEALED -> LogRecord.Reason.SEALED;
                    case TRUNCATED -> LogRecord.Reason.TRUNCATED;
                    case REWRITTEN -> LogRecord.Reason.REWRITTEN;
                    case GONE -> LogRecord.Reason.GONE;
                };
        if (reason != null) {
            commit.records().write(new LogRecord.VersionClosed(version.id(), reason));
        }
    }
}
