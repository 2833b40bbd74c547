package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.FileRangeDedupe;
import java.util.Arrays;

/** A file system with all its subvolumes: files on one may share blocks. Safe for any thread. */
final class Volume {
    private final int index;
    private final byte[] id;
    private final long type;
    private volatile Support support = Support.UNKNOWN;
    private boolean told;

    /** Whether files can share blocks. */
    enum Support {
        UNKNOWN,
        YES,
        NO
    }

    Volume(int index, byte[] id, long type) {
        this.index = index;
        this.id = id.clone();
        this.type = type;
    }

    int index() {
        return index;
    }

    long type() {
        return type;
    }

    boolean is(byte[] other) {
        return Arrays.equals(id, other);
    }

    Support support() {
        return support;
    }

    /**
     * Asks the kernel to share a byte of a file with itself: it refuses, and its reason shows whether the file system
     * can share at all.
     */
    Support probe(Fd file, FileRangeDedupe call) {
        if (support == Support.UNKNOWN) {
            call.source(0, 1);
            call.add(file, 0);
            int result = call.call(file);
            if (result == 0) {
                result = call.status(0);
            }
            support = result == -Errno.EOPNOTSUPP || result == -Errno.ENOTTY || result == -Errno.ENOSYS
                    ? Support.NO
                    : Support.YES;
        }
        return support;
    }

    /** Returns true once. */
    synchronized boolean tell() {
        boolean first = !told;
        told = true;
        return first;
    }
}
