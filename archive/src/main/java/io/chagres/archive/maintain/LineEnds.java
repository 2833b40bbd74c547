package io.chagres.archive.maintain;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.MemoryScan;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Finds where lines of versions end. Confined to one thread. */
final class LineEnds implements AutoCloseable {
    private final VersionReader reader;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment piece = arena.allocate(LogRecord.PIECE_BYTES, 8);

    /** Makes a finder; the reader stays the caller's. */
    LineEnds(VersionReader reader) {
        this.reader = reader;
    }

    /**
     * Returns the position behind the last newline before an end. It looks at 256 KiB at most, and reads no more than
     * it must: returns the end where there is none, and where bytes are damaged.
     *
     * @param start nothing before it is looked at
     */
    long lastBefore(FileVersion version, long start, long end) throws IOException {
        ExtentList extents = Extents.of(version);
        long from = Math.max(start, end - LogRecord.PIECE_BYTES);
        for (int i = extents.indexOf(end - 1); i >= 0 && extents.end(i) > from; i--) {
            long at = Math.max(from, extents.start(i));
            MemorySegment bytes = piece.asSlice(0, Math.min(end, extents.end(i)) - at);
            try {
                for (long done = 0; done < bytes.byteSize(); ) {
                    done += reader.read(version, at + done, bytes.asSlice(done));
                }
            } catch (CorruptArchiveException | EncryptedException e) {
                return end; // a reader of all of it says so
            }
            long newline = MemoryScan.lastIndexOf(bytes, (byte) '\n', 0, bytes.byteSize());
            if (newline >= 0) {
                return at + newline + 1;
            }
        }
        return end;
    }

    @Override
    public void close() {
        arena.close();
    }
}
