package io.chagres.foreign.call;

import io.chagres.foreign.Errno;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Reads from the page cache straight into a Java array, by preadv2(2) with RWF_NOWAIT (since Linux 4.14).
 *
 * <p>Such a read gives only bytes that are in memory, so it cannot wait for a disk and may be a critical call; and only
 * in a critical call does an array have an address. Needs {@link Backend#RAW}. Safe for any thread; allocates nothing
 * once compiled.
 */
@SuppressWarnings("restricted")
public final class ArrayRead {
    /** The most bytes of one call: copying them takes some twenty microseconds, during which safepoints wait. */
    public static final int MAX_BYTES = 128 * 1024;

    private static final int RWF_NOWAIT = 8;

    private static final boolean AVAILABLE = Backend.current() == Backend.RAW;

    /** The code of the page, or any function where there is no such page: it is not called then. */
    private static final MethodHandle READ_AT = Library.LINKER.downcallHandle(
            AVAILABLE ? MachineCode.function(Instructions.READ_AT) : Library.C.find("preadv2"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            Linker.Option.critical(true));

    private ArrayRead() {}

    /**
     * Returns whether {@link #nowait} can work at all in this process.
     *
     * @return constant for the life of the JVM
     */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /**
     * Reads what the page cache holds of a range.
     *
     * @param fd an open descriptor of a file
     * @param array where to
     * @param offset in the array
     * @param length how many bytes at most, 0 to {@value #MAX_BYTES}
     * @param position in the file, bytes from its start
     * @return the bytes read, fewer than asked for where the page cache or the file ends; 0 at or after the end of the
     *     file; or {@code -errno}: -EAGAIN if nothing is in the page cache, -EOPNOTSUPP if the file system cannot
     *     tell, or of a directory, for which some say -EISDIR, -ENOSYS if it is not available here, -EBADF, -ESPIPE
     *     and -EINVAL as pread(2)
     */
    public static long nowait(int fd, byte[] array, int offset, int length, long position) {
        Objects.checkFromIndexSize(offset, length, array.length);
        if (length > MAX_BYTES) {
            throw new IllegalArgumentException(length + " bytes are more than " + MAX_BYTES);
        }
        if (!AVAILABLE) {
            return -Errno.ENOSYS;
        }
        // The kernel takes -1 as "where the last read ended", which pread(2) does not.
        if (position < 0) {
            return -Errno.EINVAL;
        }
        try {
            return (long) READ_AT.invokeExact(
                    (long) fd, MemorySegment.ofArray(array), (long) offset, (long) length, position, (long) RWF_NOWAIT);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }
}
