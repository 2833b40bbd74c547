package io.chagres.archive.store;

import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a store and lets a test interfere before and after every operation: throw before it (refused), throw after it
 * (the response was lost), wait (stalled), or stop the world. As thread-safe as the test's faults.
 */
public final class FaultyStore implements BlobStore {
    /** What is about to happen or has happened. */
    public enum Operation {
        PUT,
        CREATE,
        WRITE,
        COPY,
        READ_BACK,
        COMMIT,
        GET,
        SIZE,
        LIST,
        CHILDREN,
        DELETE;

        /** Says whether the operation makes or removes an object. */
        public boolean changes() {
            return this == PUT || this == COMMIT || this == DELETE;
        }
    }

    /** Interferes. */
    public interface Faults {
        /** Called before an operation; throws to refuse it. */
        default void before(Operation operation, String key) throws IOException {}

        /** Called after an operation that succeeded; throws to lose its response. */
        default void after(Operation operation, String key) throws IOException {}
    }

    /** Is an operation of the store within. */
    private interface Call<T> {
        T run() throws IOException;
    }

    private final BlobStore store;
    private volatile Faults faults;

    /** Wraps a store, which stays the caller's. */
    public FaultyStore(BlobStore store, Faults faults) {
        this.store = store;
        this.faults = faults;
    }

    /** Interferes differently from now on. */
    public void faults(Faults next) {
        faults = next;
    }

    private <T> T call(Operation operation, String key, Call<T> call) throws IOException {
        faults.before(operation, key);
        T result = call.run();
        faults.after(operation, key);
        return result;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return call(Operation.PUT, key, () -> store.putIfAbsent(key, content));
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        BlobWriter writer = call(Operation.CREATE, key, () -> store.create(key));
        return new Writer(key, writer);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        return call(Operation.GET, key, () -> store.get(key, offset, target));
    }

    @Override
    public long size(String key) throws IOException {
        return call(Operation.SIZE, key, () -> store.size(key));
    }

    @Override
    public Iterable<BlobInfo> list(String prefix, @Nullable String afterKey) throws IOException {
        return call(Operation.LIST, prefix, () -> store.list(prefix, afterKey));
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        return call(Operation.CHILDREN, prefix, () -> store.children(prefix));
    }

    @Override
    public void delete(String key) throws IOException {
        call(Operation.DELETE, key, () -> {
            store.delete(key);
            return key;
        });
    }

    @Override
    public void close() {}

    private final class Writer implements BlobWriter {
        private final String key;
        private final BlobWriter writer;

        Writer(String key, BlobWriter writer) {
            this.key = key;
            this.writer = writer;
        }

        @Override
        public void write(MemorySegment source, long offset, long length) throws IOException {
            call(Operation.WRITE, key, () -> {
                writer.write(source, offset, length);
                return key;
            });
        }

        @Override
        public long copyFrom(Fd source, long position, long length) throws IOException {
            return call(Operation.COPY, key, () -> writer.copyFrom(source, position, length));
        }

        @Override
        public void read(long position, MemorySegment target, long offset, long length) throws IOException {
            call(Operation.READ_BACK, key, () -> {
                writer.read(position, target, offset, length);
                return key;
            });
        }

        @Override
        public void commit() throws IOException {
            call(Operation.COMMIT, key, () -> {
                writer.commit();
                return key;
            });
        }

        @Override
        public void close() {
            writer.close();
        }
    }
}
