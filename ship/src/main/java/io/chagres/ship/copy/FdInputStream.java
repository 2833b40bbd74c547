package io.chagres.ship.copy;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads a descriptor from its start without moving its file offset. Does not close it. Confined to one thread. */
public final class FdInputStream extends InputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Fd fd;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private long position;

    /** Reads from the start; the descriptor stays open. */
    public FdInputStream(Fd fd) {
        this.fd = fd;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        long read = fd.pread(buffer, 0, Math.min(length, BUFFER_BYTES), position);
        if (read < 0) {
            throw new ErrnoException("pread", (int) -read, "a compressed file");
        }
        if (read == 0) {
            return -1;
        }
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, target, offset, (int) read);
        position += read;
        return (int) read;
    }

    @Override
    public void close() {
        arena.close();
    }
}
