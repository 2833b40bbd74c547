package io.chagres.archive.store;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Reads an object from its start to its end. Confined to one thread. */
public final class BlobInputStream extends InputStream {
    private static final int BUFFER_BYTES = 256 * 1024;

    /** An object that is larger than the first buffer is read in fewer requests. */
    private static final int LARGE_BUFFER_BYTES = 2 << 20;

    /** The most bytes of the buffers of objects that are read beside each other, while they are few. */
    private static final long LARGE_BUFFERS_BYTES = 8 << 20;

    private final BlobStore store;
    private final String key;
    private final int largeBufferBytes;
    private Arena arena = Arena.ofConfined();
    private MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private long offset;
    private int at;
    private int filled;
    private boolean ended;

    /**
     * Opens nothing yet: the object is asked for when it is read. The store stays the caller's.
     *
     * @param beside how many objects are read at once: their buffers together are a few large ones
     */
    public BlobInputStream(BlobStore store, String key, int beside) {
        this.store = store;
        this.key = key;
        largeBufferBytes = Math.clamp(LARGE_BUFFERS_BYTES / beside, BUFFER_BYTES, LARGE_BUFFER_BYTES);
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer.get(ValueLayout.JAVA_BYTE, at++) & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int targetOffset, int length) throws IOException {
        Objects.checkFromIndexSize(targetOffset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int part = Math.min(length, filled - at);
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, at, target, targetOffset, part);
        at += part;
        return part;
    }

    private boolean fill() throws IOException {
        if (at == filled && !ended) {
            if (offset > 0 && buffer.byteSize() < largeBufferBytes) {
                arena.close();
                arena = Arena.ofConfined();
                buffer = arena.allocate(largeBufferBytes, 8);
            }
            filled = Math.max(0, store.get(key, offset, buffer));
            ended = filled < buffer.byteSize();
            offset += filled;
            at = 0;
        }
        return at < filled;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
