package io.chagres.dedupe;

import io.chagres.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Says which files of btrfs are without copy-on-write ({@code chattr +C}): they share blocks only with each other. See
 * ioctl_iflags(2). Confined to one thread.
 */
final class InodeFlags implements AutoCloseable {
    private static final long FS_IOC_GETFLAGS = 0x8008_6601L;
    private static final long FS_IOC_SETFLAGS = 0x4008_6602L;
    private static final int FS_NOCOW_FL = 0x0080_0000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment flags = arena.allocate(ValueLayout.JAVA_LONG);

    /** Says whether a file is without copy-on-write; false where nobody knows. */
    boolean isWithoutCopies(Fd file) {
        return file.tryIoctl(FS_IOC_GETFLAGS, flags) == 0 && (flags.get(ValueLayout.JAVA_INT, 0) & FS_NOCOW_FL) != 0;
    }

    /** Makes an empty file one with or without copy-on-write, whatever its directory hands down. */
    void setWithoutCopies(Fd empty, boolean isWithout) {
        if (isWithoutCopies(empty) != isWithout) {
            flags.set(ValueLayout.JAVA_INT, 0, flags.get(ValueLayout.JAVA_INT, 0) ^ FS_NOCOW_FL);
            empty.tryIoctl(FS_IOC_SETFLAGS, flags); // if it fails, so will the sharing
        }
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
