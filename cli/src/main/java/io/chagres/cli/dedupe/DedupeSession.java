package io.chagres.cli.dedupe;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.ProgressLine;
import io.chagres.dedupe.Count;
import io.chagres.dedupe.Dedupe;
import io.chagres.dedupe.DedupeOptions;
import io.chagres.dedupe.DedupeWorker;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Goes over the paths, once or again and again. Confined to one thread, but for {@link #stop}. */
final class DedupeSession implements AutoCloseable {
    private final CommandContext context;
    private final DedupeOptions options;
    private final Extras extras;
    private final DedupeReport report;
    private final ProgressLine progress;
    private volatile @Nullable Dedupe dedupe;
    private volatile boolean stopped;

    /**
     * What is done beside whole files.
     *
     * @param zeros whether blocks of zeros become holes
     * @param blockBytes of the search for equal ranges, 0 for none
     * @param minExtentBytes the shortest range worth sharing
     * @param threads how many work at once
     * @param isFollowed whether changes will be told
     */
    record Extras(boolean zeros, int blockBytes, long minExtentBytes, int threads, boolean isFollowed) {}

    DedupeSession(
            CommandContext context, DedupeOptions options, Extras extras, DedupeReport report, ProgressLine progress) {
        this.context = context;
        this.options = options;
        this.extras = extras;
        this.report = report;
        this.progress = progress;
    }

    /** Ends what runs, after the call it is in. Safe for any thread. */
    void stop() {
        stopped = true;
        Dedupe running = dedupe;
        if (running != null) {
            running.stop();
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** Lists all and works. */
    void runAll(List<String> paths) throws IOException {
        close();
        Dedupe run = new Dedupe(options, context.clock(), report, extras.isFollowed);
        dedupe = run;
        for (String path : paths) {
            add(run, path);
        }
        new DedupeThreads(extras.threads).run(run, run::scanWorker, () -> {});
        plan(run);
        if (run.volumes() > 1) {
            progress.message("chagres dedupe: the paths are on " + run.volumes() + " file systems; files on"
                    + " different ones cannot share blocks and are not compared");
        }
        work(run);
    }

    /** Works on files that were listed before and changed. */
    void runChanged(Iterable<Pathname> changed) throws IOException {
        Dedupe run = running();
        for (Pathname path : changed) {
            run.changed(path);
        }
        plan(run);
        work(run);
    }

    /** Returns the number of files in memory. */
    int files() {
        return running().files();
    }

    /** Says whether all was done, for all files. */
    boolean isComplete() {
        return report.isComplete() && running().totals().get(Count.FAILED) == 0;
    }

    private Dedupe running() {
        Dedupe run = dedupe;
        if (run == null) {
            throw new IllegalStateException("nothing was listed yet");
        }
        return run;
    }

    private void plan(Dedupe run) {
        if (!stopped) {
            run.plan();
        }
    }

    private void work(Dedupe run) throws IOException {
        if (!stopped) {
            if (extras.zeros) {
                step(run, extras.threads, run::zeroWorker);
            }
            step(run, extras.threads, run::worker);
            if (extras.blockBytes > 0) {
                step(run, 1, () -> run.blockWorker(extras.blockBytes, extras.minExtentBytes));
            }
            run.save();
        }
        progress.end();
        report.summary(run.totals());
    }

    private void step(Dedupe run, int threads, Supplier<DedupeWorker> workers) throws IOException {
        long total = run.totals().get(Count.CANDIDATE_BYTES);
        new DedupeThreads(threads)
                .run(run, workers, () -> progress.update(run.totals().get(Count.DONE_BYTES), total));
    }

    private static void add(Dedupe run, String path) throws IOException {
        try {
            run.add(Pathname.of(path));
        } catch (ErrnoException e) {
            throw switch (e.errno()) {
                case Errno.ELOOP ->
                    new CommandFailure(ExitCode.USAGE, path + " is a symbolic link; name what it leads to");
                case Errno.EINVAL ->
                    new CommandFailure(ExitCode.USAGE, path + " is neither a directory nor a regular file");
                default -> e;
            };
        }
    }

    @Override
    public void close() {
        Dedupe run = dedupe;
        if (run != null) {
            run.close();
        }
    }
}
