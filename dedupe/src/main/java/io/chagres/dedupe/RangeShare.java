package io.chagres.dedupe;

import io.chagres.linux.Fd;
import io.chagres.linux.FileRangeDedupe;

/** Lets one range share the blocks of another, in pieces of up to 16 MiB. Confined to one thread at a time. */
final class RangeShare implements AutoCloseable {
    private static final long PIECE_BYTES = 16L << 20;

    private final DedupeTotals totals;
    private final FileRangeDedupe call = new FileRangeDedupe();
    private final Prefetch prefetch = new Prefetch();
    private int errno;

    RangeShare(DedupeTotals totals) {
        this.totals = totals;
    }

    FileRangeDedupe probe() {
        return call;
    }

    /**
     * Shares a range.
     *
     * @return how much of it is shared now; less than all where the kernel finds a difference or a call fails
     */
    long share(Fd source, long sourcePosition, Fd target, long position, long lengthBytes) {
        errno = 0;
        for (long done = 0; done < lengthBytes; done += PIECE_BYTES) {
            long piece = Math.min(PIECE_BYTES, lengthBytes - done);
            prefetch.range(source, sourcePosition + done, piece);
            prefetch.range(target, position + done, piece);
            call.source(sourcePosition + done, piece);
            call.add(target, position + done);
            totals.add(Count.CALLS, 1);
            int result = call.call(source);
            result = result < 0 ? result : call.status(0);
            if (result != FileRangeDedupe.FILE_DEDUPE_RANGE_SAME) {
                errno = Math.max(0, -result);
                return done;
            }
        }
        return lengthBytes;
    }

    /** Returns why the last range was not shared whole: 0 if it was, or because of a difference. */
    int errno() {
        return errno;
    }

    @Override
    public void close() {
        call.close();
        prefetch.close();
    }
}
