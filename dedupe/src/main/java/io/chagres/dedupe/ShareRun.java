package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fiemap;
import io.chagres.linux.FileRangeDedupe;
import io.chagres.linux.Statx;
import java.util.Arrays;

/**
 * Lets files share the blocks of one source, in calls of up to 16 MiB for each of up to 127 files, and has the kernel
 * read one call ahead. Confined to one thread at a time: two calls for one source at once are slower than one.
 */
final class ShareRun implements AutoCloseable {
    private static final long PIECE_BYTES = 16L << 20;
    /** The most that is read ahead. */
    private static final long CALL_BYTES = 64L << 20;
    /** After so many misses the samples are not to be trusted. */
    private static final int MAX_MISSES = 3;

    private final Parts parts;
    private final ContentReader reader;
    private final FileRangeDedupe call = new FileRangeDedupe();
    private final Fiemap map = new Fiemap();
    private final Statx stat = new Statx();
    private final Prefetch prefetch = new Prefetch();
    private final FreedBytes freed = new FreedBytes();
    private final OpenFile source;
    private final Target[] called = new Target[FileRangeDedupe.MAX_DESTINATIONS];
    private Batch current;
    private Batch following;
    private int[] files = new int[0];
    private Target.State[] states = new Target.State[0];
    private int filled;
    private int misses;
    private boolean trusting;
    private boolean sourceChanged;
    private long size;
    private long progressBytes;

    ShareRun(Parts parts, ContentReader reader) {
        this.parts = parts;
        this.reader = reader;
        source = new OpenFile(parts.table(), stat, map);
        current = new Batch();
        following = new Batch();
    }

    /** Files open at the same time. */
    private final class Batch {
        private final Target[] targets = new Target[FileRangeDedupe.MAX_DESTINATIONS];
        private int count;

        void fill() {
            count = 0;
            while (count < targets.length
                    && filled < files.length
                    && !parts.stopped().getAsBoolean()) {
                Target target = targets[count];
                if (target == null) {
                    target = new Target(new OpenFile(parts.table(), stat, map));
                    targets[count] = target;
                }
                int result = target.begin(filled).open(files[filled]);
                filled++;
                count++;
                if (result < 0) {
                    failed(target, result);
                }
            }
        }

        void finish() {
            for (int i = 0; i < count; i++) {
                report(targets[i]);
                targets[i].open().close();
            }
            count = 0;
        }
    }

    /**
     * Shares the blocks of a file.
     *
     * @param sourceFile whose
     * @param targetFiles with whom
     * @param isTrusting to go on after misses
     * @return false if the source cannot be used, which was told then; true if each has a {@link #state} now
     */
    boolean share(int sourceFile, int[] targetFiles, boolean isTrusting) {
        int result = source.open(sourceFile);
        if (result < 0) {
            source.close();
            tell(sourceFile, result == -Errno.ESTALE || result == -Errno.ENOENT ? 0 : -result);
            return false;
        }
        files = targetFiles;
        states = new Target.State[files.length];
        Arrays.fill(states, Target.State.UNTRIED);
        filled = 0;
        misses = 0;
        trusting = isTrusting;
        sourceChanged = false;
        size = parts.table().size(sourceFile);
        freed.reset(source.extents());
        current.fill();
        if (parts.options().dryRun()) {
            compare();
        } else {
            run();
        }
        source.close();
        if (parts.table().volume(sourceFile).support() != Volume.Support.NO) {
            parts.totals().add(Count.FREED_BYTES, freed.total());
        }
        return true;
    }

    /** Returns what became of a file, by its index. */
    Target.State state(int index) {
        return states[index];
    }

    /** Says whether the source changed while others were compared with it. */
    boolean sourceChanged() {
        return sourceChanged;
    }

    /** Returns what was gone through since the last time, bytes. */
    long takeProgress() {
        long progress = progressBytes;
        progressBytes = 0;
        return progress;
    }

    private void run() {
        long position = 0;
        int first = 0;
        prefetch(current, 0, 0);
        while (current.count > 0) {
            int end = unitEnd(current, position, first);
            boolean lastOfPiece = end == current.count;
            boolean lastOfBatch = lastOfPiece && position + PIECE_BYTES >= size;
            Batch next = current;
            if (lastOfBatch) {
                next = following;
                if (trusting || misses < MAX_MISSES) {
                    next.fill();
                }
            }
            int nextFirst = lastOfPiece ? 0 : end;
            long nextPosition = lastOfBatch ? 0 : lastOfPiece ? position + PIECE_BYTES : position;
            prefetch(next, nextPosition, nextFirst);
            call(current, position, first, end);
            if (sourceChanged || parts.stopped().getAsBoolean()) {
                giveUp();
                return;
            }
            if (lastOfBatch) {
                current.finish();
                following = current;
                current = next;
            }
            position = nextPosition;
            first = nextFirst;
        }
    }

    /** Leaves what is not finished as not tried. */
    private void giveUp() {
        for (Batch batch : new Batch[] {current, following}) {
            for (int i = 0; i < batch.count; i++) {
                if (batch.targets[i].isActive()) {
                    batch.targets[i].become(Target.State.UNTRIED);
                }
            }
            batch.finish();
        }
    }

    private void compare() {
        while (current.count > 0) {
            for (int i = 0; i < current.count; i++) {
                Target target = current.targets[i];
                if (target.isActive() && parts.options().verify() && !equalBytes(target)) {
                    target.become(Target.State.DIFFERS);
                }
                progressBytes += size;
                parts.totals().add(Count.DONE_BYTES, size);
            }
            current.finish();
            current.fill();
        }
    }

    private boolean equalBytes(Target target) {
        try {
            return reader.equal(source.fd(), target.open().fd(), size);
        } catch (ErrnoException e) {
            target.fail(e.errno());
            return true;
        }
    }

    private int unitEnd(Batch batch, long position, int first) {
        long piece = Math.min(PIECE_BYTES, size - position);
        return (int) Math.min(batch.count, first + Math.max(1, CALL_BYTES / Math.max(1, piece)));
    }

    private void prefetch(Batch batch, long position, int first) {
        if (batch.count == 0) {
            return;
        }
        long piece = Math.min(PIECE_BYTES, size - position);
        if (first == 0) {
            prefetch.range(source.fd(), position, piece);
        }
        int end = unitEnd(batch, position, first);
        for (int i = first; i < end; i++) {
            if (isWanted(batch.targets[i], position, piece)) {
                prefetch.range(batch.targets[i].open().fd(), position, piece);
            }
        }
    }

    private boolean isWanted(Target target, long position, long piece) {
        return target.isActive() && !target.open().extents().sharesWith(source.extents(), position, position, piece);
    }

    private void call(Batch batch, long position, int first, int end) {
        long piece = Math.min(PIECE_BYTES, size - position);
        call.source(position, piece);
        int count = 0;
        for (int i = first; i < end; i++) {
            if (isWanted(batch.targets[i], position, piece)) {
                called[count++] = batch.targets[i];
                call.add(batch.targets[i].open().fd(), position);
            }
        }
        progressBytes += piece * (end - first);
        parts.totals().add(Count.DONE_BYTES, piece * (end - first));
        if (count == 0) {
            return;
        }
        parts.totals().add(Count.CALLS, 1);
        int result = call.call(source.fd());
        if (result < 0 && source.isChanged()) {
            sourceChanged = true;
            return;
        }
        for (int i = 0; i < count; i++) {
            answer(called[i], result < 0 ? result : call.status(i));
        }
    }

    private void answer(Target target, int status) {
        if (status == FileRangeDedupe.FILE_DEDUPE_RANGE_SAME) {
            return;
        }
        if (target.open().isChanged()) {
            target.become(Target.State.CHANGED);
        } else if (source.isChanged()) {
            sourceChanged = true;
        } else if (status == FileRangeDedupe.FILE_DEDUPE_RANGE_DIFFERS) {
            target.become(Target.State.DIFFERS);
            misses++;
        } else {
            target.fail(-status);
        }
    }

    private static void failed(Target target, int result) {
        if (result == -Errno.ESTALE || result == -Errno.ENOENT) {
            target.become(Target.State.CHANGED);
        } else {
            target.fail(-result);
        }
    }

    private void report(Target target) {
        FileTable table = parts.table();
        int file = files[target.index()];
        switch (target.state()) {
            case ACTIVE -> {
                target.become(Target.State.SHARED);
                freed.release(target.open().extents());
                parts.totals().add(Count.SHARED_FILES, 1);
                parts.totals().add(Count.SHARED_BYTES, size);
                parts.listener().shared(table.path(source.file()), table.path(file), size);
            }
            case CHANGED -> tell(file, 0);
            case FAILED -> tell(file, target.errno());
            default -> {}
        }
        states[target.index()] = target.state();
    }

    private void tell(int file, int errno) {
        parts.table().setUnsettled(file);
        parts.totals().add(errno == 0 ? Count.CHANGED : Count.FAILED, 1);
        parts.listener().skipped(parts.table().path(file), errno == 0 ? Outcome.CHANGED : Outcome.FAILED, errno);
    }

    @Override
    public void close() {
        giveUp();
        source.close();
        call.close();
        map.close();
        stat.close();
        prefetch.close();
    }
}
