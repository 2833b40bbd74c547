package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounds what files without a name occupy of the disk that nobody but this shipper has open: without a bound they fill
 * it while a store is away. What is given up is lost, and counted as that. Confined to the shipper's thread.
 */
final class HeldFiles implements AutoCloseable {
    private static final long LOOK_MS = 1000;
    private static final int BLOCK_BYTES = 512;

    private final ShipParts parts;
    private final long mostBytes;
    private final Statx stat = new Statx();
    private long nextMs;

    /** Holds at most some bytes. */
    HeldFiles(ShipParts parts, long mostBytes) {
        this.parts = parts;
        this.mostBytes = mostBytes;
    }

    /** Looks once in a second, and gives up what lost its name first. */
    void step(long nowMs) {
        if (nowMs < nextMs) {
            return;
        }
        nextMs = nowMs + LOOK_MS;
        List<Tail> held = new ArrayList<>();
        long sum = 0;
        for (Tail tail : parts.files.withoutName()) {
            long bytes = occupiedBytes(tail);
            if (bytes > 0) {
                held.add(tail);
                sum += bytes;
            }
        }
        for (Tail tail : held) {
            if (sum <= mostBytes) {
                return;
            }
            long bytes = occupiedBytes(tail);
            if (tail.hasBacklog() && parts.uploads.tryDrop(tail)) {
                giveUp(tail);
                sum -= bytes;
            }
        }
    }

    /** Returns what would be free if it were closed here: nothing while somebody else has it open. */
    private long occupiedBytes(Tail tail) {
        Fd fd = tail.fd();
        boolean isOurs = fd != null
                && tail.isLive()
                && !tail.hasName()
                && stat.of(fd.value()) == 0
                && stat.nlink() == 0
                && fd.probeReadLease() != -Errno.EAGAIN;
        return isOurs ? stat.blocks() * BLOCK_BYTES : 0;
    }

    private void giveUp(Tail tail) {
        long lost = tail.size() - tail.position();
        parts.losses.lost(
                tail.describe(),
                lost,
                " was removed, and removed files occupy more than --hold: its " + lost + " bytes behind byte "
                        + tail.position() + " are given up, and lost");
        parts.versions.finish(tail, LogRecord.Reason.GONE);
    }

    @Override
    public void close() {
        stat.close();
    }
}
