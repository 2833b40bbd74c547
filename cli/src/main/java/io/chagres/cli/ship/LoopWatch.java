package io.chagres.cli.ship;

import io.chagres.cli.text.Durations;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Glob;
import io.chagres.linux.MountInfo;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statfs;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says when the loop that ships hangs, and ends the process when it was asked to stop meanwhile: a call into a file
 * system that does not answer, such as that of a server that is gone, may never return. Safe for any thread.
 */
final class LoopWatch implements AutoCloseable {
    private static final long EVERY_MS = 2_000;
    /** A file system that takes longer to say how full it is does not answer. */
    private static final long ANSWERS_MS = 1_000;

    private final LongSupplier hangsForMs;
    private final List<String> paths;
    private final ShipReport report;
    private boolean told;
    private volatile boolean over;

    /**
     * Begins to look.
     *
     * @param hangsForMs for how long it hangs, in milliseconds; 0 while it works
     * @param paths what it follows, patterns included
     */
    LoopWatch(LongSupplier hangsForMs, List<String> paths, ShipReport report) {
        this.hangsForMs = hangsForMs;
        this.paths = paths;
        this.report = report;
        later(EVERY_MS, this::look);
    }

    private static void later(long ms, Runnable what) {
        CompletableFuture.delayedExecutor(ms, TimeUnit.MILLISECONDS).execute(what);
    }

    private void look() {
        if (over) {
            return;
        }
        later(EVERY_MS, this::look);
        long ms = hangsForMs.getAsLong();
        if (ms > 0 && !told) {
            report.message("the loop that ships has hung in a call for " + Durations.format(ms) + ": " + cause()
                    + ". No file is looked at meanwhile, so what is at risk is unknown");
        } else if (ms == 0 && told) {
            report.message("the loop that ships works again");
        }
        told = ms > 0;
    }

    /**
     * It was asked to stop, and has a time to do so; when it hangs after that, it is not waited for.
     *
     * @param abandon ends the process
     */
    void stops(long withinMs, Runnable abandon) {
        later(withinMs, () -> {
            long ms = over ? 0 : hangsForMs.getAsLong();
            if (ms > 0) {
                report.message(
                        "stopped with bytes at risk, how many is unknown: the loop that ships has hung in a call for "
                                + Durations.format(ms)
                                + ". They are still in the local files: start chagres ship again");
                abandon.run();
            } else if (!over) {
                stops(EVERY_MS, abandon);
            }
        });
    }

    private String cause() {
        try {
            List<String> silent = silentMounts();
            return silent.isEmpty()
                    ? "each file system that it follows answers"
                    : "no answer from " + String.join(", ", silent);
        } catch (ErrnoException e) {
            return "which file systems answer is unknown (" + e.getMessage() + ")";
        }
    }

    /** Asks all mounts that it follows at once: one that does not answer keeps its thread. */
    private List<String> silentMounts() throws ErrnoException {
        Map<MountInfo, CompletableFuture<Void>> asked = new LinkedHashMap<>();
        for (MountInfo mount : MountInfo.all()) {
            if (isFollowed(mount.mountPoint())) {
                CompletableFuture<Void> answer = new CompletableFuture<>();
                asked.put(mount, answer);
                Thread.ofPlatform().daemon().name("chagres-mount").start(() -> {
                    ask(mount);
                    answer.complete(null);
                });
            }
        }
        CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, ANSWERS_MS, TimeUnit.MILLISECONDS)
                .join();
        List<String> silent = new ArrayList<>();
        asked.forEach((mount, answer) -> {
            if (!answer.isDone()) {
                silent.add(mount.mountPoint() + " (" + mount.type() + ")");
            }
        });
        return silent;
    }

    /** Says whether a mount lies below a path that is followed, or such a path in it. */
    private boolean isFollowed(Pathname mountPoint) throws ErrnoException {
        for (String each : paths) {
            Pathname path = Pathname.of(each).absolute().normalized();
            while (path != null && Glob.isPattern(path.toString())) {
                path = path.parent();
            }
            if (path == null || mountPoint.startsWith(path) || path.startsWith(mountPoint)) {
                return true;
            }
        }
        return false;
    }

    /** Any answer is one. */
    private static void ask(MountInfo mount) {
        int fd = Fd.tryOpen(mount.mountPoint(), Fd.O_PATH, 0);
        if (fd >= 0) {
            try (Fd there = Fd.ofValue(fd);
                    Arena arena = Arena.ofConfined()) {
                new Statfs(arena.allocate(Statfs.BYTES)).of(there.value());
            }
        }
    }

    @Override
    public void close() {
        over = true;
    }
}
