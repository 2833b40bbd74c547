package io.chagres.fuse.path;

import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * A file system by paths, for simple cases: methods return values or throw, and numbers of nodes are kept here. Two
 * methods make a tree that can be listed; what is not overridden is not supported.
 *
 * <p>Paths are absolute, {@code /} is the root. Names that are not UTF-8 get EILSEQ. While a name is removed or moved
 * no other path is in use, so a file that is replaced by {@link #rename} is always there for readers: a method that
 * hangs on a path holds that up. Who needs more implements {@link FuseFileSystem}.
 *
 * <p>Exceptions become error numbers: those of an {@link io.chagres.foreign.ErrnoException}, {@link
 * NoSuchFileException} ENOENT, {@link FileAlreadyExistsException} EEXIST and so on, {@link NotImplementedException}
 * ENOSYS, every other IOException EIO. An unchecked exception is a fault: EIO for this request, one line in the log
 * and a count in {@link io.chagres.fuse.FuseServer#statistics()}. Methods are called by several threads at once.
 */
public interface PathFileSystem {
    /**
     * Tells what a path is, see stat(2).
     *
     * @param path which
     * @param attributes to be filled; cleared, timeouts are 0
     * @throws IOException NoSuchFileException if there is nothing
     */
    void getattr(String path, Attributes attributes) throws IOException;

    /**
     * Tells what an open file is that has no path any more, see fstat(2): it was removed or replaced.
     *
     * @param handle as returned by open
     * @param attributes what was known of it when it lost its path, with the size that writes through the mount have
     *     given it since; to be corrected
     * @throws IOException if it cannot be asked
     */
    default void fgetattr(long handle, Attributes attributes) throws IOException {}

    /**
     * Lists a directory.
     *
     * @param path which
     * @return its names, without {@code .} and {@code ..}
     * @throws IOException if it is none
     */
    List<String> readdir(String path) throws IOException;

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
     * Ends an open file.
     *
     * @param path which, or empty if it was removed
     * @param handle as returned by open
     * @throws IOException nobody gets it
     */
    default void release(String path, long handle) throws IOException {}

    /**
     * Waits until what was written is safe, see fsync(2).
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
     * @param target what it says
     * @throws IOException FileAlreadyExistsException if there is something
     */
    default void symlink(String path, String target) throws IOException {
        throw new NotImplementedException("symlink");
    }

    /**
     * Reads a symbolic link.
     *
     * @param path which
     * @return what it says
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
     * Moves a name, replacing what is there.
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
     * Sets the size of an open file that has no path any more, see ftruncate(2).
     *
     * @param handle as returned by open
     * @param size bytes
     * @throws IOException if it cannot
     */
    default void ftruncate(long handle, long size) throws IOException {
        throw new NotImplementedException("ftruncate");
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
     * Returns this file system by nodes, as a server wants it.
     *
     * @return with a table of its own; make one per mount
     */
    default FuseFileSystem byNodes() {
        return new PathNodes(this);
    }
}
