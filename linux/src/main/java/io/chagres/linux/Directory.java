package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An open directory: a cursor over its entries (getdents64(2)) and the calls that change names in it. Names are seen
 * from here and may be paths of several components.
 *
 * <p>The cursor is confined to the thread that called {@link #next()} first, which also closes; it allocates its buffer
 * once and nothing per entry. All else is safe for any thread.
 */
public final class Directory implements AutoCloseable {
    /** An entry whose file system does not say. */
    public static final int DT_UNKNOWN = 0;

    /** A FIFO. */
    public static final int DT_FIFO = 1;

    /** A character device. */
    public static final int DT_CHR = 2;

    /** A directory. */
    public static final int DT_DIR = 4;

    /** A block device. */
    public static final int DT_BLK = 6;

    /** A regular file. */
    public static final int DT_REG = 8;

    /** A symbolic link. */
    public static final int DT_LNK = 10;

    /** A socket. */
    public static final int DT_SOCK = 12;

    /** For {@link #rename}: fail with EEXIST instead of replacing. */
    public static final int RENAME_NOREPLACE = 1;

    /** For {@link #rename}: exchange both names. */
    public static final int RENAME_EXCHANGE = 2;

    private static final int BUFFER_BYTES = 32 * 1024;
    private static final int AT_REMOVEDIR = 0x200;

    private final Fd fd;
    private final Pathname path;
    private @Nullable Arena arena;
    private DirectoryEntries entries = new DirectoryEntries(MemorySegment.NULL);

    private Directory(Fd fd, Pathname path) {
        this.fd = fd;
        this.path = path;
    }

    /**
     * Opens a directory.
     *
     * @param path which
     * @return the directory, owned by the caller
     * @throws ErrnoException ENOTDIR if it is none, or whatever open(2) says
     */
    public static Directory open(Pathname path) throws ErrnoException {
        return new Directory(Fd.open(path, Fd.O_RDONLY | Fd.O_DIRECTORY, 0), path);
    }

    /**
     * Takes an open directory over.
     *
     * @param fd its descriptor; closed with the result
     * @return the directory, owned by the caller
     */
    public static Directory of(Fd fd) {
        return new Directory(fd, Pathname.empty());
    }

    /**
     * Returns the descriptor.
     *
     * @return owned by this directory
     */
    public Fd fd() {
        return fd;
    }

    /**
     * Moves to the next entry; {@code .} and {@code ..} are skipped. Entries that are renamed meanwhile may be missed
     * or seen twice.
     *
     * @return false after the last, and if the directory was removed
     * @throws ErrnoException whatever else getdents64(2) says
     */
    public boolean next() throws ErrnoException {
        do {
            if (!entries.next() && !(fill() && entries.next())) {
                return false;
            }
        } while (entries.isDots());
        return true;
    }

    /**
     * Returns the inode number of the entry.
     *
     * @return d_ino; differs from statx where a file system is mounted on the entry
     */
    public long ino() {
        return entries.ino();
    }

    /**
     * Returns the type of the entry.
     *
     * @return a {@code DT_} constant
     */
    public int type() {
        return entries.type();
    }

    /**
     * Returns the memory that holds the name of the entry.
     *
     * @return the buffer, owned by this directory; the name in it is valid until {@link #next()} and ends with a NUL
     */
    public MemorySegment nameSegment() {
        return entries.buffer();
    }

    /**
     * Asks about the entry that the cursor is at; a symbolic link is described itself. Takes the name where the kernel
     * put it, so that nothing is copied or allocated.
     *
     * @param to takes the answer
     * @return 0, or {@code -errno}; -ENOENT if the name is gone
     */
    public int stat(Statx to) {
        return to.of(fd().value(), nameSegment(), nameOffset());
    }

    /**
     * Returns where the name starts in {@link #nameSegment()}.
     *
     * @return an offset in bytes
     */
    public long nameOffset() {
        return entries.nameOffset();
    }

    /**
     * Returns the length of the name.
     *
     * @return bytes, without NUL
     */
    public int nameLength() {
        return entries.nameLength();
    }

    /**
     * Returns the name of the entry.
     *
     * @return a copy
     */
    public Pathname name() {
        return Pathname.ofSegment(nameSegment(), nameOffset(), nameLength());
    }

    /**
     * Starts again at the first entry, with the entries there are by then.
     *
     * @throws ErrnoException if the directory is closed
     */
    public void rewind() throws ErrnoException {
        check("lseek", (int) Math.min(0, entries.seek(fd, 0)), Pathname.empty());
    }

    /**
     * Makes a directory.
     *
     * @param name its name
     * @param mode permissions, less the umask
     * @throws ErrnoException whatever mkdirat(2) says
     */
    public void mkdir(Pathname name, int mode) throws ErrnoException {
        check("mkdir", tryMkdir(name, mode), name);
    }

    /**
     * Makes a directory where failure is expected.
     *
     * @param name its name
     * @param mode permissions, less the umask
     * @return 0, or {@code -errno}; -EEXIST if there is something by that name
     */
    public int tryMkdir(Pathname name, int mode) {
        return DirectoryCalls.mkdirat(fd.value(), name, mode);
    }

    /**
     * Makes a FIFO.
     *
     * @param name its name
     * @param mode permissions, less the umask
     * @throws ErrnoException whatever mknodat(2) says
     */
    public void mkfifo(Pathname name, int mode) throws ErrnoException {
        check("mkfifo", DirectoryCalls.mknodat(fd.value(), name, Statx.S_IFIFO | mode), name);
    }

    /**
     * Removes a name that is no directory.
     *
     * @param name which
     * @throws ErrnoException whatever unlinkat(2) says
     */
    public void unlink(Pathname name) throws ErrnoException {
        check("unlink", DirectoryCalls.unlinkat(fd.value(), name, 0), name);
    }

    /**
     * Removes an empty directory.
     *
     * @param name which
     * @throws ErrnoException whatever unlinkat(2) says
     */
    public void rmdir(Pathname name) throws ErrnoException {
        check("rmdir", DirectoryCalls.unlinkat(fd.value(), name, AT_REMOVEDIR), name);
    }

    /**
     * Gives an open file a name here; works for O_TMPFILE. Never replaces.
     *
     * @param source the file, borrowed
     * @param name the new name
     * @return 0, or {@code -errno}; -EEXIST if there is something by that name
     */
    public int tryLink(Fd source, Pathname name) {
        Pathname magic = Pathname.of("/proc/self/fd/" + source.value());
        return DirectoryCalls.linkat(StatusCalls.AT_FDCWD, magic, fd.value(), name, StatusCalls.AT_SYMLINK_FOLLOW);
    }

    /**
     * Gives a file a second name, here. Never replaces.
     *
     * @param from the directory of its present name
     * @param fromName its present name; a symbolic link is not followed
     * @param toName the new name
     * @return 0, or {@code -errno}; -EEXIST if there is something by that name
     */
    public int tryLink(Directory from, Pathname fromName, Pathname toName) {
        return DirectoryCalls.linkat(from.fd.value(), fromName, fd.value(), toName, 0);
    }

    /**
     * Moves a name, replacing the name that is there unless a flag says otherwise.
     *
     * @param from the name here
     * @param to the directory to move it to, maybe this
     * @param toName the name there
     * @param flags 0 or {@code RENAME_} constants
     * @throws ErrnoException whatever renameat2(2) says
     */
    public void rename(Pathname from, Directory to, Pathname toName, int flags) throws ErrnoException {
        check("rename", DirectoryCalls.renameat2(fd.value(), from, to.fd.value(), toName, flags), from);
    }

    /**
     * Makes a symbolic link.
     *
     * @param target the path that it holds
     * @param name its name
     * @throws ErrnoException whatever symlinkat(2) says
     */
    public void symlink(Pathname target, Pathname name) throws ErrnoException {
        check("symlink", DirectoryCalls.symlinkat(target, fd.value(), name), name);
    }

    /**
     * Reads a symbolic link.
     *
     * @param name which
     * @return the path that it holds
     * @throws ErrnoException EINVAL if it is none
     */
    public Pathname readlink(Pathname name) throws ErrnoException {
        return DirectoryCalls.readlink(fd.value(), name);
    }

    /**
     * Sets the times of a name, of a symbolic link itself.
     *
     * @param name which
     * @param atimeNs last access, nanoseconds since 1970, or Long.MIN_VALUE to leave it
     * @param mtimeNs last modification, nanoseconds since 1970, or Long.MIN_VALUE to leave it
     * @throws ErrnoException whatever utimensat(2) says
     */
    public void setTimes(Pathname name, long atimeNs, long mtimeNs) throws ErrnoException {
        int flags = StatusCalls.AT_SYMLINK_NOFOLLOW;
        check("utimensat", DirectoryCalls.utimensat(fd.value(), name, atimeNs, mtimeNs, flags), name);
    }

    /**
     * Sets the owner of a name, of a symbolic link itself.
     *
     * @param name which
     * @param uid the user, or -1 to leave it
     * @param gid the group, or -1 to leave it
     * @throws ErrnoException whatever fchownat(2) says
     */
    public void chown(Pathname name, int uid, int gid) throws ErrnoException {
        int flags = StatusCalls.AT_SYMLINK_NOFOLLOW;
        check("fchownat", DirectoryCalls.fchownat(fd.value(), name, uid, gid, flags), name);
    }

    /**
     * Waits until the names in this directory are on the disk.
     *
     * @throws ErrnoException whatever fsync(2) says
     */
    public void fsync() throws ErrnoException {
        fd.fsync();
    }

    /**
     * Returns whether a failure means that there is nothing by that name.
     *
     * @param result 0 or more, or {@code -errno}
     * @return true for -ENOENT and -ENOTDIR
     */
    public static boolean isAbsent(int result) {
        return result == -Errno.ENOENT || result == -Errno.ENOTDIR;
    }

    /** Closes the descriptor and frees the buffer. Idempotent. */
    @Override
    public void close() {
        fd.close();
        if (arena != null) {
            arena.close();
            arena = null;
        }
        entries = new DirectoryEntries(MemorySegment.NULL);
    }

    private boolean fill() throws ErrnoException {
        if (arena == null) {
            arena = Arena.ofConfined();
            entries = new DirectoryEntries(arena.allocate(BUFFER_BYTES, 8));
        }
        long n = entries.fill(fd);
        if (n == -Errno.ENOENT) {
            return false;
        }
        check("getdents64", (int) Math.min(0, n), Pathname.empty());
        return n > 0;
    }

    private void check(String call, int result, Pathname name) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, -result, path.resolve(name).toString());
        }
    }
}
