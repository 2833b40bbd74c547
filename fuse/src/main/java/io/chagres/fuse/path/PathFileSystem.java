package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.CopyRange;
import io.chagres.fuse.FileLock;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file system by paths, for simple cases: methods return values or throw, and numbers of nodes are kept here. Two
 * methods make a tree that can be listed; a method that is not overridden is not supported.
 *
 * <p>Paths are absolute, {@code /} is the root. Names that are not UTF-8 get EILSEQ. While a name is removed or moved
 * nobody else uses it or a name below it, so a file that {@link #rename} replaces is always there for readers. A method
 * that hangs on a path holds up changes of its names and requests that come after them, and no other path. If you need
 * more, implement {@link FuseFileSystem}.
 *
 * <p>Exceptions become error numbers: those of an {@link io.chagres.foreign.ErrnoException}, {@link
 * NoSuchFileException} ENOENT, {@link FileAlreadyExistsException} EEXIST and so on, {@link NotImplementedException}
 * ENOSYS, every other IOException EIO. An unchecked exception is a fault: EIO for this request, one line in the log
 * and a count in {@link io.chagres.fuse.FuseServer#statistics()}. Methods are called by several threads at once.
 */
public interface PathFileSystem {
    /**
     * Answers the attributes of a path, see stat(2).
     *
     * @param path which
     * @param attributes to be filled; cleared, timeouts are 0
     * @throws IOException NoSuchFileException if there is nothing
     */
    void getattr(String path, Attributes attributes) throws IOException;

    /**
     * Answers the attributes of an open file, see fstat(2). The kernel says for few uses that it means the open file;
     * for one without a path it always does.
     *
     * @param path which, or empty if it was removed or replaced
     * @param handle as returned by open
     * @param attributes to be filled; without a path what was known when it was lost, with the size that writes through
     *     the mount have given it since, to be corrected
     * @throws IOException if it cannot be asked
     */
    default void fgetattr(String path, long handle, Attributes attributes) throws IOException {
        if (!path.isEmpty()) {
            getattr(path, attributes);
        }
    }

    /**
     * Lists a directory: asked whenever somebody begins at its start.
     *
     * @param path which
     * @return its names, without {@code .} and {@code ..}
     * @throws IOException if it is none
     */
    List<String> readdir(String path) throws IOException;

    /**
     * Lists a directory with the attributes of its files, so that a listing needs no {@link #getattr} for each, if
     * {@link io.chagres.fuse.FuseFeature#READDIRPLUS} was agreed on.
     *
     * @param path which
     * @param listing gets the names, without {@code .} and {@code ..}
     * @throws IOException if it is none
     */
    default void readdir(String path, DirectoryListing listing) throws IOException {
        for (String name : readdir(path)) {
            listing.add(name);
        }
    }

    /**
     * Opens a file, see open(2).
     *
     * @param path which
     * @param flags {@code O_} bits
     * @return the handle that later calls get
     * @throws IOException if it may not
     */
    default long open(String path, int flags) throws IOException {
        return 0;
    }

    /**
     * Reads, see pread(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param buffer to be filled; less than fits is the end of the file
     * @param position bytes from the start of the file
     * @throws IOException if it cannot be read
     */
    default void read(String path, long handle, ByteBuffer buffer, long position) throws IOException {
        throw new NotImplementedException("read");
    }

    /**
     * Writes all of a buffer, see pwrite(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param data what to write; valid until return
     * @param position bytes from the start of the file
     * @throws IOException if it cannot be written
     */
    default void write(String path, long handle, ByteBuffer data, long position) throws IOException {
        throw new NotImplementedException("write");
    }

    /**
     * Ends one use of an open file, at each close(2): the last chance to say that writing failed.
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @throws IOException what close(2) says
     */
    default void flush(String path, long handle) throws IOException {
        throw new NotImplementedException("flush");
    }

    /**
     * Ends an open file.
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @throws IOException nobody gets it
     */
    default void release(String path, long handle) throws IOException {}

    /**
     * Waits until written bytes are safe, see fsync(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @throws IOException if something is lost
     */
    default void fsync(String path, long handle) throws IOException {}

    /**
     * Makes a regular file and opens it.
     *
     * @param path which
     * @param mode permission bits
     * @param flags {@code O_} bits
     * @return the handle that later calls get
     * @throws IOException FileAlreadyExistsException if there is something
     */
    default long create(String path, int mode, int flags) throws IOException {
        throw new NotImplementedException("create");
    }

    /**
     * Makes a file of any kind but directories and links, see mknod(2).
     *
     * @param path which
     * @param mode type and permission bits
     * @param rdev which device, for devices
     * @throws IOException FileAlreadyExistsException if there is something
     */
    default void mknod(String path, int mode, int rdev) throws IOException {
        throw new NotImplementedException("mknod");
    }

    /**
     * Makes a directory.
     *
     * @param path which
     * @param mode permission bits
     * @throws IOException FileAlreadyExistsException if there is something
     */
    default void mkdir(String path, int mode) throws IOException {
        throw new NotImplementedException("mkdir");
    }

    /**
     * Makes a symbolic link.
     *
     * @param path which
     * @param target the path that it holds
     * @throws IOException FileAlreadyExistsException if there is something
     */
    default void symlink(String path, String target) throws IOException {
        throw new NotImplementedException("symlink");
    }

    /**
     * Gives a file another name, see link(2). Each name has a node of its own for the kernel, so attributes and content
     * must not be kept by it: leave timeouts 0.
     *
     * @param existing a path it has
     * @param path the new one
     * @throws IOException FileAlreadyExistsException if there is something
     */
    default void link(String existing, String path) throws IOException {
        throw new NotImplementedException("link");
    }

    /**
     * Reads a symbolic link.
     *
     * @param path which
     * @return the path that it holds
     * @throws IOException if it is none
     */
    default String readlink(String path) throws IOException {
        throw new NotImplementedException("readlink");
    }

    /**
     * Removes a name that is no directory.
     *
     * @param path which
     * @throws IOException NoSuchFileException if there is nothing
     */
    default void unlink(String path) throws IOException {
        throw new NotImplementedException("unlink");
    }

    /**
     * Removes an empty directory.
     *
     * @param path which
     * @throws IOException DirectoryNotEmptyException if it is not
     */
    default void rmdir(String path) throws IOException {
        throw new NotImplementedException("rmdir");
    }

    /**
     * Moves a name, replacing the name that is there. Is not asked where the caller wants nothing replaced and
     * something is there.
     *
     * @param from which
     * @param to its new path
     * @throws IOException DirectoryNotEmptyException if a directory there is not
     */
    default void rename(String from, String to) throws IOException {
        throw new NotImplementedException("rename");
    }

    /**
     * Sets the size of a file, see truncate(2).
     *
     * @param path which
     * @param size bytes
     * @throws IOException if it cannot
     */
    default void truncate(String path, long size) throws IOException {
        throw new NotImplementedException("truncate");
    }

    /**
     * Sets the size of an open file, see ftruncate(2).
     *
     * @param path which, or empty if it was removed or replaced
     * @param handle as returned by open
     * @param size bytes
     * @throws IOException if it cannot
     */
    default void ftruncate(String path, long handle, long size) throws IOException {
        if (path.isEmpty()) {
            throw new ErrnoException("ftruncate", Errno.EOPNOTSUPP, "a file without a name");
        }
        truncate(path, size);
    }

    /**
     * Sets attributes other than the size.
     *
     * @param path which
     * @param change what changes; valid until return
     * @throws IOException if it cannot
     */
    default void setattr(String path, AttributeChange change) throws IOException {
        throw new NotImplementedException("setattr");
    }

    /**
     * Sets attributes other than the size of an open file, see fchmod(2), fchown(2), futimens(3).
     *
     * @param path which, or empty if it was removed or replaced
     * @param handle as returned by open
     * @param change what changes; valid until return
     * @throws IOException if it cannot
     */
    default void fsetattr(String path, long handle, AttributeChange change) throws IOException {
        if (path.isEmpty()) {
            throw new ErrnoException("fsetattr", Errno.EOPNOTSUPP, "a file without a name");
        }
        setattr(path, change);
    }

    /**
     * Checks permissions, see access(2); not asked where the kernel checks them.
     *
     * @param path which
     * @param mask R_OK 4, W_OK 2, X_OK 1
     * @throws IOException AccessDeniedException if it may not
     */
    default void access(String path, int mask) throws IOException {
        throw new NotImplementedException("access");
    }

    /**
     * Answers how full the file system is, see statvfs(3).
     *
     * @param path which file asks
     * @return as of now
     * @throws IOException if it cannot
     */
    default Statvfs statfs(String path) throws IOException {
        return Statvfs.UNKNOWN;
    }

    /**
     * Sets an extended attribute, see setxattr(2).
     *
     * @param path which
     * @param name with its prefix, such as {@code user.}
     * @param value its bytes
     * @param flags XATTR_CREATE 1 or XATTR_REPLACE 2
     * @throws IOException if it cannot
     */
    default void setxattr(String path, String name, byte[] value, int flags) throws IOException {
        throw new NotImplementedException("setxattr");
    }

    /**
     * Reads an extended attribute, see getxattr(2).
     *
     * @param path which
     * @param name with its prefix
     * @return its bytes, borrowed; null if there is none
     * @throws IOException if it cannot
     */
    default byte @Nullable [] getxattr(String path, String name) throws IOException {
        throw new NotImplementedException("getxattr");
    }

    /**
     * Lists extended attributes, see listxattr(2).
     *
     * @param path which
     * @return their names
     * @throws IOException if it cannot
     */
    default List<String> listxattr(String path) throws IOException {
        throw new NotImplementedException("listxattr");
    }

    /**
     * Removes an extended attribute, see removexattr(2).
     *
     * @param path which
     * @param name with its prefix
     * @throws IOException ENODATA if there is none
     */
    default void removexattr(String path, String name) throws IOException {
        throw new NotImplementedException("removexattr");
    }

    /**
     * Takes or gives back space, see fallocate(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param mode 0, or {@code FALLOC_FL_} bits
     * @param position bytes from the start of the file
     * @param length bytes
     * @throws IOException EOPNOTSUPP for modes not known
     */
    default void fallocate(String path, long handle, int mode, long position, long length) throws IOException {
        throw new NotImplementedException("fallocate");
    }

    /**
     * Finds data or holes, see lseek(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param position bytes from the start of the file
     * @param whence SEEK_DATA 3 or SEEK_HOLE 4
     * @return bytes from the start of the file
     * @throws IOException ENXIO if there is none
     */
    default long lseek(String path, long handle, long position, int whence) throws IOException {
        throw new NotImplementedException("lseek");
    }

    /**
     * Copies between two files, see copy_file_range(2).
     *
     * @param from path of the source, or empty if it was removed
     * @param to path of the target, or empty if it was removed
     * @param copy handles, positions and length; valid until return
     * @return bytes copied
     * @throws IOException if it cannot
     */
    default long copyFileRange(String from, String to, CopyRange copy) throws IOException {
        throw new NotImplementedException("copyFileRange");
    }

    /**
     * Finds a lock in the way of another, see F_GETLK in fcntl(2). Locks are asked of the kernel, not of this, unless
     * {@link io.chagres.fuse.FuseFeature#POSIX_LOCKS} or {@link io.chagres.fuse.FuseFeature#FLOCK_LOCKS} were agreed
     * on.
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param lock the wanted lock; valid until return
     * @return the one in the way, or null
     * @throws IOException if it cannot
     */
    default @Nullable FileLock getlk(String path, long handle, FileLock lock) throws IOException {
        throw new NotImplementedException("getlk");
    }

    /**
     * Takes or gives back a lock on a range, see F_SETLK and F_SETLKW in fcntl(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param lock which; valid until return
     * @param waits whether to wait for it, until {@link #request()} is interrupted
     * @throws IOException EAGAIN if it is held, EINTR, EDEADLK
     */
    default void setlk(String path, long handle, FileLock lock, boolean waits) throws IOException {
        throw new NotImplementedException("setlk");
    }

    /**
     * Takes or gives back a lock on a file, see flock(2).
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @param lock which; valid until return
     * @param waits whether to wait for it, until {@link #request()} is interrupted
     * @throws IOException EAGAIN if it is held, EINTR
     */
    default void flock(String path, long handle, FileLock lock, boolean waits) throws IOException {
        throw new NotImplementedException("flock");
    }

    /**
     * Returns the caller: user, group, process, umask, and whether it still waits. To be called by a method of a file
     * system on the thread that called it.
     *
     * @return valid until that method returns
     * @throws IllegalStateException outside of such a method
     */
    static Request request() {
        return PathNodes.request();
    }

    /**
     * Returns this file system by nodes, as a server wants it.
     *
     * @return with a table of its own; make one per mount
     */
    default FuseFileSystem byNodes() {
        return new PathNodes(this);
    }
}
