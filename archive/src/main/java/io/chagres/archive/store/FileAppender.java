package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import java.lang.foreign.MemorySegment;

/**
 * Appends to a file that was empty, large pieces past the page cache: that costs a tenth of the CPU of a copy into it,
 * and the cache stays with the services of the machine. Bytes that are not aligned go through the cache. Confined to
 * one thread; borrows the file.
 */
final class FileAppender {
    /** Enough for every file system: they ask for 512 bytes, or for one of their blocks or pages. */
    private static final long ALIGNMENT = 4096;

    private static final long MIN_DIRECT_BYTES = 256 * 1024;

    private final Fd file;
    private boolean direct;
    private boolean refused;
    private long length;

    FileAppender(Fd file) {
        this.file = file;
    }

    long length() {
        return length;
    }

    /** Counts bytes that were appended otherwise. */
    void skip(long bytes) {
        length += bytes;
    }

    /** Appends native bytes; when that fails a part of them may be written. */
    void append(MemorySegment source, long offset, long bytes) throws ErrnoException {
        long end = length + bytes;
        long done = directLength(source, offset, bytes);
        if (done > 0) {
            setDirect(true);
            done = writeDirect(source, offset, done);
        }
        length += done;
        if (length < end) {
            setDirect(false);
            file.pwriteFully(source, offset + done, end - length, length);
            length = end;
        }
    }

    /** Off, reads and copies of any alignment are possible. */
    void setDirect(boolean on) {
        if (direct != on) {
            if (FileControl.setDirect(file, on) == 0) {
                direct = on;
            } else {
                refused = true;
            }
        }
    }

    private long directLength(MemorySegment source, long offset, long bytes) {
        boolean aligned = (length | source.address() + offset) % ALIGNMENT == 0;
        return refused || !aligned || bytes < MIN_DIRECT_BYTES ? 0 : bytes - bytes % ALIGNMENT;
    }

    /** Returns how much was written; the rest is to go another way, which says what is wrong if something is. */
    private long writeDirect(MemorySegment source, long offset, long bytes) throws ErrnoException {
        long done = 0;
        while (done < bytes) {
            long written = direct ? file.pwrite(source, offset + done, bytes - done, length + done) : -Errno.EINVAL;
            if (written < 0 && written != -Errno.EINVAL) {
                throw new ErrnoException("pwrite", (int) -written, file.toString());
            }
            done += Math.max(0, written);
            if (written <= 0 || written % ALIGNMENT != 0) {
                refused = true; // a file system with other needs
                break;
            }
        }
        return done;
    }
}
