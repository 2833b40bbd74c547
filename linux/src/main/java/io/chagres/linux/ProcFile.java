package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads files of proc(5), whose size is known only when they have been read. Stateless, safe for any thread. */
final class ProcFile {
    private static final int BUFFER_BYTES = 16 << 10;

    private ProcFile() {}

    /** Returns the whole content. */
    static byte[] read(Pathname path) throws ErrnoException {
        try (Fd fd = Fd.open(path, Fd.O_RDONLY, 0);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(BUFFER_BYTES);
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (; ; ) {
                long n = fd.read(buffer, 0, BUFFER_BYTES);
                if (n < 0) {
                    throw new ErrnoException("read", (int) -n, path.toString());
                }
                if (n == 0) {
                    return content.toByteArray();
                }
                content.writeBytes(buffer.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }
}
