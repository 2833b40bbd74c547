package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.file.Tail;
import io.chagres.ship.follow.FollowedFiles;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounds the space that files without a name and without a writer occupy: without a bound they fill the disk
 * while a store is away. A file that is given up is lost, and counted as that. Confined to the shipper's thread.
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

    /** Looks once in a second, and gives up the file first that lost its name first. */
    void step(long nowMs) {
        if (nowMs < nextMs) {
            return;
        }
        nextMs = nowMs + LOOK_MS;
        List<Tail> held = new ArrayList<>();
        long sum = 0;
        for (Tail tail : parts.files.withoutName()) {
            long bytes = occupiedBytes(tail, nowMs);
            if (bytes > 0) {
                held.add(tail);
                sum += bytes;
            }
        }
        for (Tail tail : held) {
            if (sum <= mostBytes) {
                return;
            }
            long bytes = occupiedBytes(tail, nowMs);
            if (tail.hasBacklog() && parts.uploads.tryDrop(tail)) {
                giveUp(tail);
                sum -= bytes;
            }
        }
    }

    /** Returns the bytes that closing the file here would free: none while a writer has it open, or may have. */
    private long occupiedBytes(Tail tail, long nowMs) {
        Fd fd = tail.fd();
        boolean isOurs = fd != null
                && tail.isLive()
                && !tail.hasName()
                && stat.of(fd.value()) == 0
                && stat.nlink() == 0
                && !mayHaveWriter(tail, fd, nowMs);
        return isOurs ? stat.blocks() * BLOCK_BYTES : 0;
    }

    /** Where the kernel does not say, a file that changed lately has one. */
    private static boolean mayHaveWriter(Tail tail, Fd fd, long nowMs) {
        int lease = fd.probeReadLease();
        return lease == -Errno.EAGAIN || (lease != 0 && nowMs - tail.quietSinceMs() < FollowedFiles.UNKNOWN_WRITER_MS);
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
