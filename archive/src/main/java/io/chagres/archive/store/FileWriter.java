package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Writes one object of a {@link DirectoryStore}. A file whose write or fsync failed is never used again. */
final class FileWriter implements BlobWriter {
    private static final int COPY_BYTES = 256 * 1024;
    private static final long KERNEL_COPY_BYTES = 8L << 20;

    private final DirectoryStore store;
    private final String key;
    private final Pathname name;
    private final Directory directory;
    private final Fd file;
    private long length;

    FileWriter(DirectoryStore store, String key) throws IOException {
        this.store = store;
        this.key = key;
        name = Pathname.of(key.substring(key.lastIndexOf('/') + 1));
        directory = store.directoryFor(key);
        int fd = store.openTemporary(directory);
        if (fd < 0) {
            directory.close();
            throw fd == -Errno.EOPNOTSUPP || fd == -Errno.EISDIR
                    ? new StoreException("the file system of " + store.name()
                            + " has no files without names (O_TMPFILE), which make commits safe;"
                            + " use a local file system such as ext4, XFS, btrfs or tmpfs")
                    : DirectoryStore.refused(key, new ErrnoException("open", -fd, path()));
        }
        file = Fd.ofValue(fd);
    }

    private String path() {
        return store.root().resolve(key).toString();
    }

    @Override
    public void write(MemorySegment source, long offset, long bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = source;
            long at = offset;
            if (!source.isNative()) {
                from = arena.allocate(Math.max(1, bytes));
                MemorySegment.copy(source, offset, from, 0, bytes);
                at = 0;
            }
            file.pwriteFully(from, at, bytes, length);
            length += bytes;
        } catch (ErrnoException e) {
            throw DirectoryStore.refused(path(), e);
        }
    }

    @Override
    public boolean sharesBlocksWith(Fd source) {
        long type = FileSystemId.typeOf(file.value());
        if (type != FileSystemId.XFS && type != FileSystemId.BTRFS) {
            return false;
        }
        try (Statx one = new Statx();
                Statx other = new Statx()) {
            return one.of(source.value()) == 0 && other.of(file.value()) == 0 && one.dev() == other.dev();
        }
    }

    @Override
    public long copyFrom(Fd source, long position, long bytes) throws IOException {
        long done = 0;
        while (done < bytes) {
            long want = Math.min(KERNEL_COPY_BYTES, bytes - done);
            long copied = source.copyFileRange(position + done, file, length, want);
            if (copied == -Errno.EXDEV || copied == -Errno.EINVAL || copied == -Errno.EOPNOTSUPP
                    || copied == -Errno.ENOSYS) {
                return done + copyByReading(source, position + done, bytes - done);
            }
            if (copied < 0) {
                throw DirectoryStore.refused(path(), new ErrnoException("copy_file_range", (int) -copied, path()));
            }
            if (copied == 0) {
                break;
            }
            done += copied;
            length += copied;
        }
        return done;
    }

    private long copyByReading(Fd source, long position, long bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(COPY_BYTES, 8);
            long done = 0;
            while (done < bytes) {
                long read = source.preadFully(buffer, 0, Math.min(COPY_BYTES, bytes - done), position + done);
                if (read == 0) {
                    break;
                }
                write(buffer, 0, read);
                done += read;
            }
            return done;
        }
    }

    @Override
    public void read(long position, MemorySegment target, long offset, long bytes) throws IOException {
        if (file.preadFully(target, offset, bytes, position) != bytes) {
            throw new StoreException(path() + " became shorter while it was written");
        }
    }

    @Override
    public void commit() throws IOException {
        if (!link()) {
            throw new StoreException(path() + " exists already");
        }
    }

    /** Makes the file durable and gives it its name; false when the name is taken. */
    boolean link() throws IOException {
        try {
            file.fsync();
            int linked = directory.tryLink(file, name);
            if (linked == -Errno.EEXIST) {
                return false;
            }
            if (linked < 0) {
                throw new ErrnoException("link", -linked, path());
            }
            directory.fsync();
            return true;
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EPERM && e.call().equals("link")) {
                throw new StoreException("the file system of " + store.name()
                        + " has no hard links, which make commits safe; use ext4, XFS, btrfs or tmpfs");
            }
            throw DirectoryStore.refused(path(), e);
        }
    }

    @Override
    public void close() {
        file.close();
        directory.close();
    }
}
