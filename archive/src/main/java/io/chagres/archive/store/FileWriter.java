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

/** Writes one object of a {@link DirectoryStore}. A file whose write or fsync failed never becomes an object. */
final class FileWriter implements BlobWriter {
    private static final long KERNEL_COPY_BYTES = 8L << 20;

    private final Pathname path;
    private final Directory directory;
    private final TemporaryFile file;
    private final FileAppender appender;
    private boolean usable = true;

    FileWriter(StoreDirectories directories, NamelessFiles temporaries, String key) throws IOException {
        path = directories.path(key);
        directory = directories.require(key.substring(0, Math.max(0, key.lastIndexOf('/'))));
        TemporaryFile opened = null;
        try {
            opened = temporaries.open(directory, path);
        } finally {
            if (opened == null) {
                directory.close();
            }
        }
        file = opened;
        appender = new FileAppender(file.fd());
    }

    @Override
    public void write(MemorySegment source, long offset, long bytes) throws IOException {
        begin();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = source;
            long at = offset;
            if (!source.isNative()) {
                from = arena.allocate(bytes);
                MemorySegment.copy(source, offset, from, 0, bytes);
                at = 0;
            }
            appender.append(from, at, bytes);
        } catch (ErrnoException e) {
            throw Refusal.of(path, e);
        }
        usable = true;
    }

    @Override
    public boolean sharesBlocksWith(Fd source) {
        long type = FileSystemId.typeOf(file.fd().value());
        if (type != FileSystemId.XFS && type != FileSystemId.BTRFS) {
            return false;
        }
        try (Statx one = new Statx();
                Statx other = new Statx()) {
            return one.of(source.value()) == 0 && other.of(file.fd().value()) == 0 && one.dev() == other.dev();
        }
    }

    @Override
    public long copyFrom(Fd source, long position, long bytes) throws IOException {
        begin();
        appender.setDirect(false);
        long done = 0;
        while (done < bytes) {
            long want = Math.min(KERNEL_COPY_BYTES, bytes - done);
            long copied = source.copyFileRange(position + done, file.fd(), appender.length(), want);
            if (copied == -Errno.EXDEV
                    || copied == -Errno.EINVAL
                    || copied == -Errno.EOPNOTSUPP
                    || copied == -Errno.ENOSYS) {
                usable = true;
                return done + BlobWriter.super.copyFrom(source, position + done, bytes - done);
            }
            if (copied < 0) {
                throw Refusal.of(path, "copy_file_range", (int) copied);
            }
            if (copied == 0) {
                break;
            }
            done += copied;
            appender.skip(copied);
        }
        usable = true;
        return done;
    }

    @Override
    public void read(long position, MemorySegment target, long offset, long bytes) throws IOException {
        appender.setDirect(false);
        try {
            if (file.fd().preadFully(target, offset, bytes, position) != bytes) {
                throw new StoreException(path + ": it became shorter while it was written");
            }
        } catch (ErrnoException e) {
            throw Refusal.of(path, e);
        }
    }

    @Override
    public void commit() throws IOException {
        if (!link()) {
            throw new StoreException(path + ": it exists already");
        }
    }

    /**
     * Makes the file durable and gives it its name; false when the name is taken, by a file whose name is durable: an
     * earlier try may have linked it, and failed in its last step only.
     */
    boolean link() throws IOException {
        begin();
        int linked;
        try {
            file.fd().fsync();
            linked = file.link(directory, path.name());
            if (linked == 0 || linked == -Errno.EEXIST) {
                directory.fsync();
            }
        } catch (ErrnoException e) {
            throw Refusal.of(path, e);
        }
        if (linked == -Errno.EEXIST) {
            return false;
        }
        if (linked < 0) {
            throw Refusal.of(path, "linkat", linked);
        }
        return true;
    }

    /** Until the operation succeeds the file counts as broken. */
    private void begin() {
        if (!usable) {
            throw new IllegalStateException("the writer of " + path + " failed or was committed; only close it");
        }
        usable = false;
    }

    @Override
    public void close() {
        file.close();
        directory.close();
    }
}
