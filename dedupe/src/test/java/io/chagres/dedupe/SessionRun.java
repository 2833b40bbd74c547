package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** A whole run in all phases on several threads, and what it reported. */
final class SessionRun implements SessionListener {
    private static final int THREADS = 3;

    private final List<String> lines = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private DedupeTotals totals;

    /**
     * Runs to the end.
     *
     * @param isFollowed whether all files are reported as changed afterwards, as if they had been followed
     */
    SessionRun(DedupeOptions options, DedupeSession.Phases phases, boolean isFollowed, Path top) throws IOException {
        List<Pathname> paths = List.of(Pathname.of(top.toString()));
        try (ExecutorService executor = Executors.newFixedThreadPool(THREADS);
                DedupeSession session = new DedupeSession(options, phases, Run.LATER, this, executor, THREADS);
                Stream<Path> files = Files.walk(top)) {
            if (isFollowed) {
                session.runFollowed(paths);
                session.runChanged(
                        files.map(file -> Pathname.of(file.toString())).toList());
            } else {
                session.run(paths);
            }
        }
    }

    long count(Count count) {
        return totals.get(count);
    }

    /** Returns a number that is 0 if nothing was shared or freed. */
    long changes() {
        return count(Count.SHARED_FILES)
                + count(Count.SHARED_BYTES)
                + count(Count.EXTENTS)
                + count(Count.ZERO_BYTES)
                + count(Count.FREED_BYTES)
                + lines.size();
    }

    /** Returns the files that failed, once for each time they did. */
    List<String> failed() {
        return failed;
    }

    @Override
    public void shared(Pathname source, Pathname file, long lengthBytes) {
        lines.add(source.name() + " " + file.name() + " " + lengthBytes);
    }

    @Override
    public void sharedRange(Pathname source, long sourcePosition, Pathname file, long position, long lengthBytes) {
        lines.add(source.name() + " " + sourcePosition + " " + file.name() + " " + position + " " + lengthBytes);
    }

    @Override
    public void skipped(Pathname path, Outcome outcome, int errno) {
        if (outcome == Outcome.FAILED) {
            failed.add(inode(Path.of(path.toString())) + " " + Errno.name(errno));
        }
    }

    /** The name may be another one of the same file. */
    static Object inode(Path path) {
        try {
            return Files.getAttribute(path, "unix:ino");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void unsupported(Pathname path, long type) {
        throw new AssertionError("unsupported: " + path);
    }

    @Override
    public void progress(long doneBytes, long totalBytes) {}

    @Override
    public void separated(int count) {}

    @Override
    public void problem(Pathname path, String what, int errno) {
        throw new AssertionError(path + ": " + what);
    }

    @Override
    public void finished(DedupeTotals sums) {
        totals = sums;
    }

    @Override
    public String toString() {
        return String.join("\n  ", lines) + "\n  failed " + failed;
    }
}
