package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.path.TransferablePathFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A directory by paths, with handles of its own, that goes from one process to the next. */
final class MirrorPaths implements TransferablePathFileSystem {
    private static final int O_ACCMODE = 3;

    private final Path root;
    private final Map<Long, FileChannel> open = new ConcurrentHashMap<>();
    private final AtomicLong lastHandle = new AtomicLong();

    MirrorPaths(Path root) {
        this.root = root;
    }

    private Path below(String path) {
        return root.resolve(path.substring(1));
    }

    private FileChannel file(long handle) {
        return Objects.requireNonNull(open.get(handle), () -> "handle " + handle);
    }

    @Override
    public void reopen(String path, long handle, int flags) throws IOException {
        lastHandle.accumulateAndGet(handle, Math::max);
        open.put(handle, opened(path, flags));
    }

    private FileChannel opened(String path, int flags) throws IOException {
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.READ);
        if ((flags & O_ACCMODE) != 0) {
            options.add(StandardOpenOption.WRITE);
        }
        return FileChannel.open(below(path), options);
    }

    @Override
    public void getattr(String path, Attributes attributes) throws IOException {
        Map<String, Object> now = Files.readAttributes(below(path), "unix:mode,size,nlink", LinkOption.NOFOLLOW_LINKS);
        attributes.mode((int) now.get("mode")).size((long) now.get("size")).nlink((int) now.get("nlink"));
    }

    @Override
    public void fgetattr(String path, long handle, Attributes attributes) throws IOException {
        if (path.isEmpty()) {
            attributes.size(file(handle).size());
        } else {
            getattr(path, attributes);
        }
    }

    @Override
    public List<String> readdir(String path) throws IOException {
        try (Stream<Path> files = Files.list(below(path))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Override
    public long open(String path, int flags) throws IOException {
        FileChannel file = opened(path, flags);
        long handle = lastHandle.incrementAndGet();
        open.put(handle, file);
        return handle;
    }

    @Override
    public long create(String path, int mode, int flags) throws IOException {
        Files.createFile(below(path));
        return open(path, flags);
    }

    @Override
    public void read(String path, long handle, ByteBuffer buffer, long position) throws IOException {
        long at = position;
        int read = 0;
        while (read >= 0 && buffer.hasRemaining()) {
            read = file(handle).read(buffer, at);
            at += read;
        }
    }

    @Override
    public void write(String path, long handle, ByteBuffer data, long position) throws IOException {
        long at = position;
        while (data.hasRemaining()) {
            at += file(handle).write(data, at);
        }
    }

    @Override
    public void release(String path, long handle) throws IOException {
        file(handle).close();
        open.remove(handle);
    }

    @Override
    public void truncate(String path, long size) throws IOException {
        try (FileChannel file = FileChannel.open(below(path), StandardOpenOption.WRITE)) {
            resize(file, size);
        }
    }

    @Override
    public void ftruncate(String path, long handle, long size) throws IOException {
        resize(file(handle), size);
    }

    private static void resize(FileChannel file, long size) throws IOException {
        if (size > file.size()) {
            throw new ErrnoException("truncate", Errno.EOPNOTSUPP, "to a longer file");
        }
        file.truncate(size);
    }

    @Override
    public void mkdir(String path, int mode) throws IOException {
        Files.createDirectory(below(path));
    }

    @Override
    public void unlink(String path) throws IOException {
        Files.delete(below(path));
    }

    @Override
    public void rmdir(String path) throws IOException {
        Files.delete(below(path));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(below(from), below(to), StandardCopyOption.ATOMIC_MOVE);
    }
}
