package io.chagres.dedupe;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;
import io.chagres.watch.DirectoryWatcher;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Goes over paths in all phases of {@link Dedupe}, once or for as long as files change. Starts no threads: workers step
 * on an executor that is handed in. Confined to one thread, but for {@link #stop} and {@link #isStopped}.
 */
public final class DedupeSession implements AutoCloseable {
    private final DedupeOptions options;
    private final Phases phases;
    private final InstantSource clock;
    private final SessionListener listener;
    private final StepWorkers workers;
    private final int workerCount;
    private @Nullable Dedupe dedupe;
    private volatile boolean stopped;
    private @Nullable DirectoryWatcher watcher;
    /** Why the database was not written the last time; null if it was. */
    private @Nullable IOException unsaved;

    /**
     * The work beside whole files.
     *
     * @param zeros whether blocks of zeros become holes
     * @param blockBytes of the search for equal ranges, see {@link Dedupe#blockWorker}; 0 for none
     * @param minExtentBytes the shortest range worth sharing
     */
    public record Phases(boolean zeros, int blockBytes, long minExtentBytes) {
        /** Whole files only. */
        public static final Phases FILES = new Phases(false, 0, 0);
    }

    /**
     * Prepares a session.
     *
     * @param options the files, and how to treat them
     * @param phases further work
     * @param clock the wall clock
     * @param listener hears the outcome of each file
     * @param executor on whose threads workers step; not closed
     * @param workerCount how many of them at most, 1 or more: more than processors only where files come from a disk
     */
    public DedupeSession(
            DedupeOptions options,
            Phases phases,
            InstantSource clock,
            SessionListener listener,
            Executor executor,
            int workerCount) {
        this.options = options;
        this.phases = phases;
        this.clock = clock;
        this.listener = listener;
        workers = new StepWorkers(executor);
        this.workerCount = workerCount;
    }

    /** Ends the work, after the call it is in; nothing runs after it. Idempotent. */
    public synchronized void stop() {
        stopped = true;
        if (dedupe != null) {
            dedupe.stop();
        }
        if (watcher != null) {
            watcher.wakeup();
        }
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
     * Goes over all files once.
     *
     * @param paths directories, with all below, and files
     * @throws PathTypeException if one of them is neither
     * @throws IOException if one cannot be opened, the database cannot be read or written, or the listener fails
     */
    public void run(List<Pathname> paths) throws IOException {
        list(paths, false);
        IOException failure = unsaved;
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Goes over all files and then, until the session is stopped, over those that changed and were left alone. What
     * goes wrong later, when all went well once, is a problem for the listener, and is tried again: a path that is not
     * there, and a database that cannot be written.
     *
     * @param paths directories, with all below, and files
     * @param settleMs how long nothing may change before a file is looked at
     * @throws PathTypeException if one of them is neither
     * @throws IOException as {@link #run}, or if the paths cannot be watched
     */
    public void follow(List<Pathname> paths, long settleMs) throws IOException {
        List<Pathname> roots = new ArrayList<>();
        for (Pathname path : paths) {
            roots.add(path.absolute());
        }
        try (DirectoryWatcher opened = DirectoryWatcher.builder(roots.toArray(Pathname[]::new))
                .clock(clock)
                .open()) {
            wakes(opened);
            try {
                new DedupeFollow(this, roots, settleMs, listener).run(opened);
            } finally {
                wakes(null);
            }
        }
    }

    private synchronized void wakes(@Nullable DirectoryWatcher opened) {
        watcher = opened;
    }

    private synchronized void stops(Dedupe run) {
        dedupe = run;
        if (stopped) {
            run.stop();
        }
    }

    /** Lists all and works; {@link #runChanged} gets files that change later. */
    void runFollowed(List<Pathname> paths) throws IOException {
        list(paths, true);
    }

    /** Works on files that were listed before and changed. */
    void runChanged(Iterable<Pathname> changed) throws IOException {
        Dedupe run = running();
        for (Pathname path : changed) {
            run.changed(path);
        }
        work(run);
    }

    /** Returns the number of files in memory. */
    int files() {
        return running().files();
    }

    private void list(List<Pathname> paths, boolean isFollowed) throws IOException {
        boolean wasListed = dedupe != null;
        close();
        Dedupe run = new Dedupe(options, clock, listener, isFollowed);
        stops(run);
        for (Pathname path : paths) {
            try {
                run.add(path);
            } catch (PathTypeException | ErrnoException e) {
                if (!wasListed) {
                    throw e;
                }
                problem(path, "is not looked at until it is there again", e);
            }
        }
        workers.run(run, workerCount, run::scanWorker, () -> {});
        if (run.volumes() > 1) {
            listener.separated(run.volumes());
        }
        work(run);
    }

    private void work(Dedupe run) throws IOException {
        if (!stopped) {
            run.plan();
            if (phases.zeros) {
                step(run, workerCount, run::zeroWorker);
            }
            step(run, workerCount, run::worker);
            if (phases.blockBytes > 0) {
                step(run, 1, () -> run.blockWorker(phases.blockBytes, phases.minExtentBytes));
            }
            save(run);
        }
        listener.finished(run.totals());
    }

    private void save(Dedupe run) {
        IOException before = unsaved;
        try {
            run.save();
            unsaved = null;
        } catch (IOException e) {
            unsaved = e;
            if (watcher != null && before == null) {
                problem(Objects.requireNonNull(options.database()), "is not written, and tried again later", e);
            }
        }
    }

    private void problem(Pathname path, String what, IOException cause) {
        listener.problem(path, what, cause instanceof ErrnoException known ? known.errno() : 0);
    }

    private void step(Dedupe run, int count, Supplier<DedupeWorker> maker) throws IOException {
        long totalBytes = run.totals().get(Count.CANDIDATE_BYTES);
        workers.run(run, count, maker, () -> listener.progress(run.totals().get(Count.DONE_BYTES), totalBytes));
    }

    private Dedupe running() {
        Dedupe run = dedupe;
        if (run == null) {
            throw new IllegalStateException("nothing was listed yet");
        }
        return run;
    }

    /** Closes the descriptors of the paths. Idempotent. */
    @Override
    public void close() {
        Dedupe run = dedupe;
        if (run != null) {
            run.close();
        }
    }
}
