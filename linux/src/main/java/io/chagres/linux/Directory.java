package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Owns an open directory: a cursor over its entries ({@code getdents64(2)}) and the calls that change names in it,
 * which cannot be led elsewhere by a link on the way. Confined to one thread; moving the cursor allocates nothing.
 */
public final class Directory implements AutoCloseable {
    /** Type of an entry: not told by the file system. */
    public static final int DT_UNKNOWN = 0;
    /** Type of an entry: FIFO. */
    public static final int DT_FIFO = 1;
    /** Type of an entry: directory. */
    public static final int DT_DIR = 4;
    /** Type of an entry: regular file. */
    public static final int DT_REG = 8;
    /** Type of an entry: symbolic link. */
    public static final int DT_LNK = 10;
    /** Flag of {@link #rename}: fails with EEXIST instead of replacing. */
    public static final int RENAME_NOREPLACE = 1;

    private static final int BUFFER_BYTES = 32 * 1024;
    private static final int NAME_OFFSET = 19;
    private static final int PATH_MAX = 4096;
    private static final int S_IFIFO = 0010000;

    private final Fd fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private long filled;
    private long next;
    private long entry;

    private Directory(Fd fd) {
        this.fd = fd;
    }

    /** Opens a directory; a symbolic link as last component is followed. */
    public static Directory open(Pathname path) throws ErrnoException {
        return new Directory(Fd.open(path, Fd.O_RDONLY | Fd.O_DIRECTORY, 0));
    }

    /** Takes over an open descriptor of a directory. */
    public static Directory of(Fd fd) {
        return new Directory(fd);
    }

    /** Returns the descriptor, which stays this object's. */
    public Fd fd() {
        return fd;
    }

    /**
     * Moves to the next entry other than {@code .} and {@code ..}.
     *
     * @return false when there are no more
     */
    public boolean next() throws ErrnoException {
        do {
            if (next >= filled) {
                long read = SystemCall.once(
                        Nr.GETDENTS64, fd.value(), buffer.address(), BUFFER_BYTES, 0, 0, 0);
                if (read < 0) {
                    throw new ErrnoException("getdents64", (int) -read, "descriptor " + fd.value());
                }
                if (read == 0) {
                    return false;
                }
                filled = read;
                next = 0;
            }
            entry = next;
            next += buffer.get(ValueLayout.JAVA_SHORT_UNALIGNED, entry + 16) & 0xffff;
        } while (isDots());
        return true;
    }

    private boolean isDots() {
        int length = nameLength();
        return length <= 2
                && nameByte(0) == '.'
                && (length == 1 || nameByte(1) == '.');
    }

    private byte nameByte(int index) {
        return buffer.get(ValueLayout.JAVA_BYTE, nameOffset() + index);
    }

    /** Returns the inode number of the entry. */
    public long ino() {
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, entry);
    }

    /** Returns the type of the entry, a DT_ constant. */
    public int type() {
        return buffer.get(ValueLayout.JAVA_BYTE, entry + 18);
    }

    /** Returns the memory that holds the entry's name until the cursor moves; owned by this object. */
    public MemorySegment nameSegment() {
        return buffer;
    }

    /** Returns where the name starts in {@link #nameSegment}. */
    public long nameOffset() {
        return entry + NAME_OFFSET;
    }

    /** Returns the length of the name in bytes. */
    public int nameLength() {
        int length = 0;
        while (buffer.get(ValueLayout.JAVA_BYTE, entry + NAME_OFFSET + length) != 0) {
            length++;
        }
        return length;
    }

    /** Returns the name of the entry. Allocates. */
    public Pathname name() {
        return Pathname.ofSegment(buffer, nameOffset(), nameLength());
    }

    /** Starts again with the first entry. */
    public void rewind() {
        SystemCall.once(Nr.LSEEK, fd.value(), 0, 0, 0, 0, 0);
        filled = 0;
        next = 0;
    }

    /** Makes a directory. */
    public void mkdir(Pathname name, int mode) throws ErrnoException {
        Fd.check("mkdirat", tryMkdir(name, mode), name);
    }

    /** Makes a directory; returns 0 or -errno. */
    public int tryMkdir(Pathname name, int mode) {
        return onName(Nr.MKDIRAT, name, mode);
    }

    /** Makes a FIFO. */
    public void mkfifo(Pathname name, int mode) throws ErrnoException {
        Fd.check("mknodat", onName(Nr.MKNODAT, name, S_IFIFO | mode), name);
    }

    /** Removes a name of a file. */
    public void unlink(Pathname name) throws ErrnoException {
        Fd.check("unlinkat", onName(Nr.UNLINKAT, name, 0), name);
    }

    /** Removes an empty directory. */
    public void rmdir(Pathname name) throws ErrnoException {
        Fd.check("unlinkat", onName(Nr.UNLINKAT, name, Nr.AT_REMOVEDIR), name);
    }

    private int onName(int number, Pathname name, long argument) {
        try (Arena scratch = Arena.ofConfined()) {
            return (int) SystemCall.once(
                    number, fd.value(), name.toCString(scratch).address(), argument, 0, 0, 0);
        }
    }

    /** Gives an open file a name; returns 0 or -errno (EEXIST: the name is taken). Needs /proc. */
    public int tryLink(Fd source, Pathname name) {
        try (Arena scratch = Arena.ofConfined()) {
            Pathname from = Pathname.of("/proc/self/fd/" + source.value());
            return (int) SystemCall.once(
                    Nr.LINKAT,
                    Nr.AT_FDCWD,
                    from.toCString(scratch).address(),
                    fd.value(),
                    name.toCString(scratch).address(),
                    Nr.AT_SYMLINK_FOLLOW,
                    0);
        }
    }

    /** Gives a file that has a name another one here; returns 0 or -errno. */
    public int tryLink(Directory from, Pathname fromName, Pathname toName) {
        try (Arena scratch = Arena.ofConfined()) {
            return (int) SystemCall.once(
                    Nr.LINKAT,
                    from.fd.value(),
                    fromName.toCString(scratch).address(),
                    fd.value(),
                    toName.toCString(scratch).address(),
                    0,
                    0);
        }
    }

    /** Renames an entry into a directory. */
    public void rename(Pathname from, Directory to, Pathname toName, int flags) throws ErrnoException {
        try (Arena scratch = Arena.ofConfined()) {
            long renamed = SystemCall.once(
                    Nr.RENAMEAT2,
                    fd.value(),
                    from.toCString(scratch).address(),
                    to.fd.value(),
                    toName.toCString(scratch).address(),
                    flags,
                    0);
            Fd.check("renameat2", renamed, from);
        }
    }

    /** Makes a symbolic link. */
    public void symlink(Pathname target, Pathname name) throws ErrnoException {
        try (Arena scratch = Arena.ofConfined()) {
            long made = SystemCall.once(
                    Nr.SYMLINKAT,
                    target.toCString(scratch).address(),
                    fd.value(),
                    name.toCString(scratch).address(),
                    0,
                    0,
                    0);
            Fd.check("symlinkat", made, name);
        }
    }

    /** Returns where a symbolic link leads, as it is written. */
    public Pathname readlink(Pathname name) throws ErrnoException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment target = scratch.allocate(PATH_MAX);
            long length = SystemCall.once(
                    Nr.READLINKAT,
                    fd.value(),
                    name.toCString(scratch).address(),
                    target.address(),
                    PATH_MAX,
                    0,
                    0);
            return Pathname.ofSegment(target, 0, Fd.check("readlinkat", length, name));
        }
    }

    /** Sets the times of an entry, of a link itself; see {@link Fd#setTimes}. */
    public void setTimes(Pathname name, long atimeNs, long mtimeNs) throws ErrnoException {
        try (Arena scratch = Arena.ofConfined()) {
            long set = SystemCall.once(
                    Nr.UTIMENSAT,
                    fd.value(),
                    name.toCString(scratch).address(),
                    Fd.timespecs(scratch, atimeNs, mtimeNs).address(),
                    Nr.AT_SYMLINK_NOFOLLOW,
                    0,
                    0);
            Fd.check("utimensat", set, name);
        }
    }

    /** Sets owner and group of an entry, of a link itself. */
    public void chown(Pathname name, int uid, int gid) throws ErrnoException {
        try (Arena scratch = Arena.ofConfined()) {
            long set = SystemCall.once(
                    Nr.FCHOWNAT,
                    fd.value(),
                    name.toCString(scratch).address(),
                    uid,
                    gid,
                    Nr.AT_SYMLINK_NOFOLLOW,
                    0);
            Fd.check("fchownat", set, name);
        }
    }

    /** Makes the names in the directory durable. */
    public void fsync() throws ErrnoException {
        fd.fsync();
    }

    /** Says whether an -errno means that the name does not exist. */
    public static boolean isAbsent(int result) {
        return result == -Errno.ENOENT || result == -Errno.ENOTDIR;
    }

    @Override
    public void close() {
        fd.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
