package io.chagres.fuse.path;

import io.chagres.fuse.Attributes;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Files of one directory in memory, by paths. A file lives as long as a name or a handle refers to it. */
class PathMemory implements PathFileSystem {
    private final Map<String, Content> names = new HashMap<>();
    private final Map<Long, Content> handles = new HashMap<>();
    private long lastHandle;

    /** The bytes of a file. */
    private static final class Content {
        private byte[] bytes = {};

        private void resize(long size) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(size));
        }
    }

    private Content named(String path) throws NoSuchFileException {
        Content content = names.get(path);
        if (content == null) {
            throw new NoSuchFileException(path);
        }
        return content;
    }

    private Content open(long handle) {
        return Objects.requireNonNull(handles.get(handle));
    }

    final synchronized boolean isOpen(String path, long handle) {
        return handles.get(handle) != null && handles.get(handle) == names.get(path);
    }

    @Override
    public synchronized void getattr(String path, Attributes attributes) throws NoSuchFileException {
        if (path.equals("/")) {
            attributes.directory(0777);
        } else {
            attributes.file(0666, named(path).bytes.length);
        }
    }

    @Override
    public synchronized List<String> readdir(String path) {
        return names.keySet().stream().map(name -> name.substring(1)).toList();
    }

    @Override
    public synchronized long open(String path, int flags) throws NoSuchFileException {
        handles.put(++lastHandle, named(path));
        return lastHandle;
    }

    @Override
    public synchronized long create(String path, int mode, int flags) {
        handles.put(++lastHandle, names.computeIfAbsent(path, missing -> new Content()));
        return lastHandle;
    }

    @Override
    public synchronized void read(String path, long handle, ByteBuffer buffer, long position) {
        byte[] bytes = open(handle).bytes;
        int start = (int) Math.min(position, bytes.length);
        buffer.put(bytes, start, Math.min(buffer.remaining(), bytes.length - start));
    }

    @Override
    public synchronized void write(String path, long handle, ByteBuffer data, long position) {
        Content content = open(handle);
        content.resize(Math.max(content.bytes.length, position + data.remaining()));
        data.get(content.bytes, (int) position, data.remaining());
    }

    @Override
    public synchronized void truncate(String path, long size) throws NoSuchFileException {
        named(path).resize(size);
    }

    @Override
    public synchronized void ftruncate(String path, long handle, long size) {
        open(handle).resize(size);
    }

    @Override
    public synchronized void release(String path, long handle) {
        handles.remove(handle);
    }

    @Override
    public synchronized void unlink(String path) throws NoSuchFileException {
        named(path);
        names.remove(path);
    }

    @Override
    public synchronized void rename(String from, String to) throws NoSuchFileException {
        names.put(to, named(from));
        names.remove(from);
    }
}
