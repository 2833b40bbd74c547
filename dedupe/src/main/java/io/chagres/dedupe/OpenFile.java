package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.FileRangeDedupe;
import io.chagres.linux.Statx;
import org.jspecify.annotations.Nullable;

/** A file while its blocks are shared: open, with their places and its status. Used again for others. */
final class OpenFile {
    /** A multiple of the block size of any file system that shares blocks. */
    private static final long PROBE_BYTES = 4096;

    private final FoundFiles table;
    private final Statx stat;
    private final Fiemap map;
    private final FileExtents extents = new FileExtents();
    private @Nullable Fd fd;
    private int file;
    private long mtimeNs;
    private long ctimeNs;

    OpenFile(FoundFiles table, Statx stat, Fiemap map) {
        this.table = table;
        this.stat = stat;
        this.map = map;
    }

    /**
     * Opens a file.
     *
     * @return 0; -ESTALE if it is not the listed file, or has another size; another {@code -errno}, also if the kernel
     *     does not say where its data lies though its file system shares blocks
     */
    int open(int number) {
        return open(number, table.openWhatever(number));
    }

    /**
     * Takes a file that was opened, as above.
     *
     * @param opened a descriptor, owned from now on; or {@code -errno}
     */
    int open(int number, int opened) {
        close();
        file = number;
        if (opened < 0) {
            return opened;
        }
        Fd open = Fd.ofValue(opened);
        fd = open;
        int result = stat.of(opened);
        if (result < 0) {
            return result;
        }
        if (stat.ino() != table.inode(number) || stat.size() != table.size(number) || !stat.isRegular()) {
            return -Errno.ESTALE;
        }
        mtimeNs = stat.mtimeNs();
        ctimeNs = stat.ctimeNs();
        int read = extents.read(open, map);
        return table.volume(number).support() == Volume.Support.YES ? read : 0;
    }

    /** Says whether somebody changed the file since it was opened. */
    boolean isChanged() {
        return stat.of(fd().value()) != 0
                || stat.size() != table.size(file)
                || stat.mtimeNs() != mtimeNs
                || stat.ctimeNs() != ctimeNs;
    }

    /**
     * Asks the kernel to share a block of the file with itself, which it does for none.
     *
     * @return why it lets this file share with nobody, such as ETXTBSY for a swap file or EPERM; 0 if that is not so
     */
    int refusal(FileRangeDedupe probe) {
        probe.source(0, Math.min(PROBE_BYTES, table.size(file)));
        probe.add(fd(), 0);
        int result = probe.call(fd());
        int errno = Math.max(0, -(result < 0 ? result : probe.status(0)));
        return errno == Errno.EINVAL ? 0 : errno;
    }

    /** Says whether some of the file's space is only reserved: the rest is shared range by range. */
    boolean reserves() {
        return extents.reserves(table.size(file));
    }

    int file() {
        return file;
    }

    FileExtents extents() {
        return extents;
    }

    Fd fd() {
        Fd open = fd;
        if (open == null) {
            throw new IllegalStateException("not open");
        }
        return open;
    }

    void close() {
        if (fd != null) {
            fd.close();
            fd = null;
        }
    }
}
