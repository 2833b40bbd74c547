package io.chagres.cli.read;

import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads bytes of the versions of one host and hands them on. Confined to one thread. */
final class HostContent implements AutoCloseable {
    private static final int PIECE_BYTES = 256 * 1024;

    private final VersionReader reader;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment piece = arena.allocate(PIECE_BYTES, 8);

    /**
     * Creates a reader.
     *
     * @param state knows where the bytes of the versions to read are
     */
    HostContent(BlobStore store, String hostId, HostState state) {
        reader = new VersionReader(store, hostId, state);
    }

    /** Hands a range of a version's bytes to a sink. */
    void copy(FileVersion version, long start, long end, ContentSink.Origin origin, ContentSink sink)
            throws IOException {
        reader.expect(version, start, end);
        long position = start;
        while (position < end) {
            MemorySegment target = piece.asSlice(0, Math.min(PIECE_BYTES, end - position));
            readFully(version, position, target);
            sink.write(origin, position, target);
            position += target.byteSize();
        }
    }

    /**
     * Fills a segment from a position on.
     *
     * @throws EOFException when the version is shorter
     */
    void readFully(FileVersion version, long position, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            int got = reader.read(version, position + done, target.asSlice(done));
            if (got <= 0) {
                throw new EOFException("version " + Long.toHexString(version.id()) + " ends at " + (position + done)
                        + " of " + version.length() + "; 'chagres verify' tells more");
            }
            done += got;
        }
    }

    @Override
    public void close() {
        reader.close();
        arena.close();
    }
}
