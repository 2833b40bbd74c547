package io.chagres.dedupe;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A run over some paths, in phases: {@link #add} the paths, let {@link #scanWorker}s step until they are done,
 * {@link #plan}, and let {@link #worker}s do the same; {@link #save} keeps what was learned. No link is followed, and
 * each file is opened by components that may not be links.
 *
 * <p>Starts no threads. All phases are confined to one thread; other threads may use workers meanwhile, which see what
 * happened before they were made. {@link #stop} and {@link #totals} are safe for any thread. Some 40 bytes of heap for
 * each file, 16 more with a database.
 */
public final class Dedupe implements AutoCloseable {
    private final DedupeOptions options;
    private final RunContext context;
    private final @Nullable Database database;
    private final @Nullable Pathname place;
    private final Scan scan;
    private final AtomicInteger zeroed = new AtomicInteger();
    private @Nullable SizeGroups groups;
    private WorkSharing sharing = new WorkSharing();
    private int planned;
    private volatile boolean stopped;

    /**
     * Prepares a run, and reads the database.
     *
     * @param options the files, and how to treat them
     * @param clock the wall clock: files changed within the last two seconds are not remembered
     * @param listener hears the outcome of each file, one call at a time
     * @param isFollowed whether {@link #changed} will be called: samples are kept then, as for a database
     * @throws IOException if the database cannot be read, or is something else
     */
    public Dedupe(DedupeOptions options, InstantSource clock, DedupeListener listener, boolean isFollowed)
            throws IOException {
        this.options = options;
        FoundFiles table = new FoundFiles(isFollowed || options.database() != null);
        context = new RunContext(options, table, new DedupeTotals(), new OneAtATime(listener), () -> stopped);
        place = options.database() == null ? null : Database.place(options.database());
        database = place == null ? null : Database.open(place);
        Instant now = clock.instant();
        scan = new Scan(context, database, TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano());
    }

    /**
     * Prepares a run over files as they are now, and reads the database.
     *
     * @param options the files, and how to treat them
     * @param clock the wall clock: files changed within the last two seconds are not remembered
     * @param listener hears the outcome of each file, one call at a time
     * @throws IOException if the database cannot be read, or is something else
     */
    public Dedupe(DedupeOptions options, InstantSource clock, DedupeListener listener) throws IOException {
        this(options, clock, listener, false);
    }

    /**
     * Adds a directory with all below, or a file.
     *
     * @param path which
     * @throws PathTypeException for a symbolic link, and for anything that is neither
     * @throws IOException if it cannot be opened
     */
    public void add(Pathname path) throws IOException {
        scan.add(path);
    }

    /**
     * Makes one of any number of workers that list directories; when all have ended, everything is listed.
     *
     * @return owned by the caller, closed before this
     */
    public DedupeWorker scanWorker() {
        return new ScanWorker(scan, context);
    }

    /**
     * Adds a file that appeared or changed after it was listed; earlier knowledge of it is forgotten. One that is gone,
     * is no regular file or is not wanted is passed over.
     *
     * @param path below one of the paths, as they were given
     */
    public void changed(Pathname path) {
        scan.changed(path);
    }

    /** Groups the files that were found; only groups with a file that is new since the last plan are looked at. */
    public void plan() {
        if (database != null) {
            scan.forgetDatabase();
            database.close();
        }
        FoundFiles table = context.table();
        table.clearFailed();
        if (groups == null) {
            context.totals().add(Count.KNOWN, table.countOld());
        } else {
            table.setOld(0, planned);
        }
        SizeGroups bySize = new SizeGroups(table, options.largestFirst());
        for (int group = 0; group < bySize.count(); group++) {
            int count = bySize.to(group) - bySize.from(group);
            long size = table.size(bySize.files()[bySize.from(group)]);
            context.totals().add(Count.CANDIDATES, count);
            context.totals().add(Count.CANDIDATE_BYTES, count * size);
            context.totals().add(Count.KNOWN, groups == null ? -bySize.countOld(group) : 0);
        }
        planned = table.count();
        groups = bySize;
        sharing = new WorkSharing();
    }

    /**
     * Returns the number of files known, changed ones once more for each change.
     *
     * @return what the memory in use grows with
     */
    public int files() {
        return context.table().count();
    }

    /**
     * Returns the number of file systems among the files.
     *
     * @return those on different ones cannot share blocks
     */
    public int volumes() {
        return context.table().volumes().size();
    }

    /**
     * Makes one of any number of workers that let equal files share their blocks.
     *
     * @return owned by the caller, closed before this
     * @throws IllegalStateException before {@link #plan}
     */
    public DedupeWorker worker() {
        if (groups == null) {
            throw new IllegalStateException("nothing is planned yet");
        }
        return new GroupWorker(context, groups, sharing);
    }

    /**
     * Makes one of any number of workers that turn blocks of zeros into holes. They all go over the same files.
     *
     * @return owned by the caller, closed before this
     */
    public DedupeWorker zeroWorker() {
        return new ZeroWorker(context, zeroed);
    }

    /**
     * Makes the worker that lets equal ranges within different files, or within one, share their blocks. There can be
     * one only, since it remembers the hashes of all blocks: some 40 bytes for each.
     *
     * @param blockBytes ranges begin at multiples of this, a power of two from 4 KiB to 512 KiB
     * @param minExtentBytes shorter ranges are left alone
     * @return owned by the caller, closed before this
     */
    public DedupeWorker blockWorker(int blockBytes, long minExtentBytes) {
        return new BlockWorker(context, blockBytes, minExtentBytes);
    }

    /** Ends all phases and workers after the call they are in. */
    public void stop() {
        stopped = true;
    }

    /**
     * Says whether {@link #stop} was called.
     *
     * @return true if so
     */
    public boolean isStopped() {
        return stopped;
    }

    /**
     * Returns the counters.
     *
     * @return the same object each time
     */
    public DedupeTotals totals() {
        return context.totals();
    }

    /**
     * Writes the database, if there is one and this is no dry run: when all workers have ended.
     *
     * @throws IOException if it cannot be written; then it is as it was
     */
    public void save() throws IOException {
        if (place == null || options.dryRun()) {
            return;
        }
        SizeGroups bySize = groups;
        if (bySize == null || isAsSaved()) {
            return; // stopped while it was listing, or nothing is new
        }
        for (int group = bySize.claim(); group >= 0; group = bySize.claim()) {
            for (int i = bySize.from(group); i < bySize.to(group); i++) {
                if (!context.table().isOld(bySize.files()[i])) {
                    context.table().setUnsettled(bySize.files()[i]);
                }
            }
        }
        Database.write(place, context.table());
    }

    private boolean isAsSaved() {
        int count = context.table().count();
        return database != null && database.count() == count && context.table().countOld() == count;
    }

    /** Closes the descriptors of the paths. Idempotent. */
    @Override
    public void close() {
        scan.close();
        if (database != null) {
            database.close();
        }
    }

    /** Lets one worker at a time tell. */
    private static final class OneAtATime implements DedupeListener {
        private final DedupeListener listener;
        private final ReentrantLock lock = new ReentrantLock();

        OneAtATime(DedupeListener listener) {
            this.listener = listener;
        }

        private void tell(Runnable call) {
            lock.lock();
            try {
                call.run();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void shared(Pathname source, Pathname file, long lengthBytes) {
            tell(() -> listener.shared(source, file, lengthBytes));
        }

        @Override
        public void sharedRange(Pathname source, long sourcePosition, Pathname file, long position, long lengthBytes) {
            tell(() -> listener.sharedRange(source, sourcePosition, file, position, lengthBytes));
        }

        @Override
        public void skipped(Pathname path, Outcome outcome, int errno) {
            tell(() -> listener.skipped(path, outcome, errno));
        }

        @Override
        public void unsupported(Pathname path, long type) {
            tell(() -> listener.unsupported(path, type));
        }
    }
}
