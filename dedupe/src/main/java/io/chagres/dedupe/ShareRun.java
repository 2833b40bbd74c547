package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fiemap;
import io.chagres.linux.FileRangeDedupe;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.util.function.IntUnaryOperator;

/**
 * Lets files share the blocks of one source, in calls of up to 16 MiB for each of up to 127 files. Reads them before
 * each call: while it waits for the disk, other workers compare. Where the source or a file only reserves space, that
 * file shares its other ranges, one in each call. Confined to one thread at a time: two calls for one
 * source at once are slower than one, so that a helper makes one of the targets its own source first.
 */
final class ShareRun implements AutoCloseable {
    private static final long PIECE_BYTES = 16L << 20;
    /** The most that is read for a call, but for one piece of one file. */
    private static final long CALL_BYTES = 16L << 20;
    /** The fewest files that are claimed together, so that the calls are few. */
    private static final int MIN_FILES = 4;

    private static final int NONE = -1;

    private final RunContext context;
    private final WorkSharing sharing;
    private final ContentReader reader;
    private final IntUnaryOperator opener;
    private final FileRangeDedupe call = new FileRangeDedupe();
    private final RangeShare ranges;
    private final Fiemap map = new Fiemap();
    private final Statx stat = new Statx();
    private final InodeFlags flags = new InodeFlags();
    private final Prefetch prefetch = new Prefetch();
    private final OpenFile source;
    private final ShareTarget[] called = new ShareTarget[FileRangeDedupe.MAX_DESTINATIONS];
    private final Batch current = new Batch();
    private ShareSet set;
    private boolean sourceChanged;
    private int lastShared = NONE;
    private long size;
    private long progressBytes;

    /**
     * Makes one that shares nothing yet.
     *
     * @param opener gives a descriptor of a file, the caller's, or {@code -errno}
     */
    ShareRun(RunContext context, WorkSharing sharing, ContentReader reader, IntUnaryOperator opener) {
        this.context = context;
        this.sharing = sharing;
        this.reader = reader;
        this.opener = opener;
        ranges = new RangeShare(context.totals());
        source = new OpenFile(context.table(), stat, map);
        set = new ShareSet(-1, new int[0], 0, false, source.extents());
    }

    /** Files open at the same time. */
    private final class Batch {
        private final ShareTarget[] targets = new ShareTarget[FileRangeDedupe.MAX_DESTINATIONS];
        private int count;

        /** Claims and opens the next ones. */
        void fill(int limit) {
            count = 0;
            while (count < limit && !context.stopped().getAsBoolean()) {
                int index = set.claim();
                if (index < 0) {
                    return;
                }
                ShareTarget target = targets[count];
                if (target == null) {
                    target = new ShareTarget(new OpenFile(context.table(), stat, map));
                    targets[count] = target;
                }
                count++;
                int file = set.target(index);
                int result = target.begin(index).open(file, opener.applyAsInt(file));
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

    /** Files of one piece are claimed for one call; of larger ones as many as the source is read for once. */
    private int limit() {
        long each = CALL_BYTES / Math.max(1, size);
        return size > PIECE_BYTES ? FileRangeDedupe.MAX_DESTINATIONS : Math.clamp(each, MIN_FILES, called.length);
    }

    /**
     * Shares the blocks of a file.
     *
     * @param sourceFile the file whose blocks the others get
     * @param targetFiles the files that get them
     * @param isTrusting whether to continue after misses
     * @return false if the source cannot be used, as the listener has heard; true if each has a {@link #state} now
     */
    boolean share(int sourceFile, int[] targetFiles, boolean isTrusting) {
        int result = source.open(sourceFile, opener.applyAsInt(sourceFile));
        if (result < 0) {
            source.close();
            tell(sourceFile, FoundFiles.isGone(-result) ? 0 : -result);
            return false;
        }
        begin(new ShareSet(sourceFile, targetFiles, context.table().size(sourceFile), isTrusting, source.extents()));
        if (context.options().dryRun()) {
            compare();
        } else {
            sharing.open(set);
            try {
                run(limit(), false);
            } finally {
                sharing.close(set);
            }
        }
        source.close();
        progressBytes += set.helpedBytes();
        if (set.sourceErrno() != 0) {
            tell(sourceFile, set.sourceErrno());
            return false;
        }
        if (context.table().volume(sourceFile).support() != Volume.Support.NO) {
            context.totals().add(Count.FREED_BYTES, set.freedBytes());
        }
        return true;
    }

    /** Works on somebody else's set, with one of its targets as the source once that shares its blocks. */
    void help(ShareSet others) {
        begin(others);
        if (ownSource()) {
            run(limit(), false);
        }
        source.close();
        others.helped(takeProgress());
    }

    private boolean ownSource() {
        if (source.open(set.source()) < 0 || source.reserves()) {
            set.refuseHelp(); // where it reserves space its targets need not be like each other
            return false;
        }
        lastShared = NONE;
        while (lastShared == NONE
                && set.unclaimed() > 0
                && !sourceChanged
                && !context.stopped().getAsBoolean()) {
            run(1, true);
        }
        return lastShared != NONE && source.open(lastShared) == 0;
    }

    private void begin(ShareSet next) {
        set = next;
        size = next.size();
        sourceChanged = false;
    }

    /** Returns the outcome of a file, by its index. */
    ShareTarget.State state(int index) {
        return set.state(index);
    }

    /** Says whether a file can be a source only; false if it cannot be opened. */
    boolean isFixed(int file) {
        boolean isFixed = source.open(file) == 0 && source.refusal(ranges.probe()) == Errno.EPERM;
        source.close();
        return isFixed;
    }

    /** Says whether a file is without copy-on-write; false if it cannot be opened. */
    boolean isWithoutCopies(int file) {
        boolean isWithout = source.open(file) == 0 && flags.isWithoutCopies(source.fd());
        source.close();
        return isWithout;
    }

    /** Says whether the source changed while others were compared with it. */
    boolean sourceChanged() {
        return set.sourceChanged();
    }

    /** Returns the bytes that were gone through since the last call. */
    long takeProgress() {
        long progress = progressBytes;
        progressBytes = 0;
        return progress;
    }

    /**
     * Goes over the targets.
     *
     * @param limit how many are open at the same time
     * @param isOnce to end after these
     */
    private void run(int limit, boolean isOnce) {
        for (current.fill(limit); current.count > 0; current.fill(isOnce ? 0 : limit)) {
            for (long position = 0; position < size; position += PIECE_BYTES) {
                int end;
                for (int first = 0; first < current.count; first = end) {
                    end = unitEnd(position, first);
                    prefetch(position, first, end);
                    call(position, first, end);
                    shareRanges(position, first, end);
                    if (sourceChanged || context.stopped().getAsBoolean()) {
                        giveUp();
                        return;
                    }
                }
            }
            current.finish();
        }
    }

    /** Leaves the files that are not finished as not tried. */
    private void giveUp() {
        for (int i = 0; i < current.count; i++) {
            if (current.targets[i].isActive()) {
                current.targets[i].become(ShareTarget.State.UNTRIED);
            }
        }
        current.finish();
    }

    private void compare() {
        current.fill(limit());
        while (current.count > 0) {
            for (int i = 0; i < current.count; i++) {
                ShareTarget target = current.targets[i];
                if (target.isActive() && context.options().verify() && !equalBytes(target)) {
                    target.become(ShareTarget.State.DIFFERS);
                }
                if (isInRanges(target)) {
                    shareRanges(target, 0, size);
                }
                progressBytes += size;
                context.totals().add(Count.DONE_BYTES, size);
            }
            current.finish();
            current.fill(limit());
        }
    }

    private boolean equalBytes(ShareTarget target) {
        try {
            return reader.equal(source.fd(), target.open().fd(), size);
        } catch (ErrnoException e) {
            target.fail(e.errno());
            return true;
        }
    }

    private int unitEnd(long position, int first) {
        long piece = Math.min(PIECE_BYTES, size - position);
        return (int) Math.min(current.count, first + Math.max(1, CALL_BYTES / piece));
    }

    private void prefetch(long position, int first, int end) {
        if (ContentReader.isWhole(size)) {
            return; // all of it was read for the samples
        }
        long piece = Math.min(PIECE_BYTES, size - position);
        prefetch.range(source.fd(), position, piece);
        for (int i = first; i < end; i++) {
            if (isWanted(current.targets[i], position, piece)) {
                prefetch.range(current.targets[i].open().fd(), position, piece);
            }
        }
    }

    private boolean isWanted(ShareTarget target, long position, long piece) {
        return target.isActive()
                && !isInRanges(target)
                && !target.open().extents().sharesWith(source.extents(), position, position, piece);
    }

    private boolean isInRanges(ShareTarget target) {
        return target.isActive() && (target.open().reserves() || source.reserves());
    }

    private void shareRanges(long position, int first, int end) {
        for (int i = first; i < end && !sourceChanged; i++) {
            ShareTarget target = current.targets[i];
            if (position == 0 && isInRanges(target) && !isEqual(target)) {
                target.become(ShareTarget.State.DIFFERS);
                set.miss();
            }
            if (isInRanges(target)) {
                shareRanges(target, position, Math.min(size, position + PIECE_BYTES));
            }
        }
    }

    /**
     * The kernel compares only the ranges it shares, one after the other: where one file has reserved space the other
     * may have data, and what was shared before a difference would be shared with another file in the next run.
     */
    private boolean isEqual(ShareTarget target) {
        return set.isTrusting() || ContentReader.isWhole(size) || equalBytes(target);
    }

    private void shareRanges(ShareTarget target, long position, long end) {
        FileExtents its = target.open().extents();
        long from = its.apartFrom(source.extents(), 0, position, end);
        while (from < end && target.isActive() && !sourceChanged) {
            long to = its.apartUntil(source.extents(), 0, from, end);
            long done = context.options().dryRun()
                    ? to - from
                    : ranges.share(source.fd(), from, target.open().fd(), from, to - from);
            if (done > 0) {
                target.addShared(done);
                set.release(its, from, from + done);
            }
            if (done < to - from) {
                answer(target, ranges.errno() == 0 ? FileRangeDedupe.FILE_DEDUPE_RANGE_DIFFERS : -ranges.errno());
            }
            from = its.apartFrom(source.extents(), 0, to, end);
        }
    }

    private void call(long position, int first, int end) {
        long piece = Math.min(PIECE_BYTES, size - position);
        call.source(position, piece);
        int count = 0;
        for (int i = first; i < end; i++) {
            if (isWanted(current.targets[i], position, piece)) {
                called[count++] = current.targets[i];
                call.add(current.targets[i].open().fd(), position);
            }
        }
        progressBytes += piece * (end - first);
        context.totals().add(Count.DONE_BYTES, piece * (end - first));
        if (count == 0) {
            return;
        }
        context.totals().add(Count.CALLS, 1);
        int result = call.call(source.fd());
        if (result < 0 && source.isChanged()) {
            changeSource();
            return;
        }
        for (int i = 0; i < count; i++) {
            answer(called[i], result < 0 ? result : call.status(i));
        }
    }

    private void answer(ShareTarget target, int status) {
        if (status == FileRangeDedupe.FILE_DEDUPE_RANGE_SAME) {
            return;
        }
        if (target.open().isChanged()) {
            target.become(ShareTarget.State.CHANGED);
        } else if (source.isChanged()) {
            changeSource();
        } else if (status == FileRangeDedupe.FILE_DEDUPE_RANGE_DIFFERS) {
            target.become(ShareTarget.State.DIFFERS);
            set.miss();
        } else if (status == -Errno.ETXTBSY && source.refusal(ranges.probe()) == Errno.ETXTBSY) {
            sourceChanged = true;
            if (source.file() == set.source()) {
                set.refuseSource(Errno.ETXTBSY);
            }
        } else if (status == -Errno.EINVAL) {
            target.become(ShareTarget.State.REFUSED);
        } else if (status == -Errno.EPERM) {
            target.become(ShareTarget.State.FIXED);
        } else {
            target.fail(-status);
        }
    }

    private void changeSource() {
        sourceChanged = true;
        if (source.file() == set.source()) {
            set.setSourceChanged();
        }
    }

    private static void failed(ShareTarget target, int result) {
        if (FoundFiles.isGone(-result)) {
            target.become(ShareTarget.State.CHANGED);
        } else {
            target.fail(-result);
        }
    }

    private void report(ShareTarget target) {
        int file = set.target(target.index());
        switch (target.state()) {
            case ACTIVE -> reportShared(target, file);
            case CHANGED -> tell(file, 0);
            case FAILED -> tell(file, target.errno());
            default -> {}
        }
        set.end(target.index(), target.state());
    }

    private void reportShared(ShareTarget target, int file) {
        boolean isWhole = !isInRanges(target);
        long bytes = isWhole ? size : target.sharedBytes();
        if (isWhole) {
            lastShared = file;
            set.release(target.open().extents(), 0, Long.MAX_VALUE);
        } else if (bytes == 0) {
            target.become(ShareTarget.State.ALREADY_SHARED);
            context.totals().add(Count.ALREADY_SHARED, 1);
            return;
        }
        target.become(ShareTarget.State.SHARED);
        context.totals().add(Count.SHARED_FILES, 1);
        context.totals().add(Count.SHARED_BYTES, bytes);
        Pathname path = context.table().path(file);
        context.listener().shared(context.table().path(set.source()), path, bytes);
    }

    /**
     * Tells the outcome of a file.
     *
     * @param errno 0 if it changed
     */
    void tell(int file, int errno) {
        if (errno != 0) {
            context.fail(file, errno);
            return;
        }
        context.table().setUnsettled(file);
        context.totals().add(Count.CHANGED, 1);
        context.listener().skipped(context.table().path(file), Outcome.CHANGED, 0);
    }

    @Override
    public void close() {
        giveUp();
        source.close();
        call.close();
        ranges.close();
        map.close();
        stat.close();
        prefetch.close();
        flags.close();
    }
}
