package io.chagres.archive.testing;

import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store and lets faults happen at chosen operations: nothing of the operation happens, or all of it
 * happens and the answer is lost. As safe for threads as the faults are.
 */
public final class FaultyStore extends ForwardingStore {
    /** Says what an operation does. */
    public enum Kind {
        /** Puts an object if it is absent. */
        PUT,
        /** Begins an object. */
        CREATE,
        /** Appends bytes to it. */
        WRITE,
        /** Appends bytes of a file to it. */
        COPY,
        /** Reads appended bytes back. */
        READ_BACK,
        /** Makes it visible. */
        COMMIT,
        /** Reads bytes of an object. */
        GET,
        /** Asks for its size. */
        SIZE,
        /** Lists objects. */
        LIST,
        /** Lists names below a prefix. */
        CHILDREN,
        /** Removes an object. */
        DELETE;

        private boolean isChange() {
            return this == PUT || this == COMMIT || this == DELETE;
        }
    }

    /**
     * One operation. Immutable.
     *
     * @param kind what it does
     * @param key the object or prefix
     * @param change its number among those that make or remove an object, from 0; -1 for the others
     */
    public record Operation(Kind kind, String key, int change) {}

    /** Decides what becomes of an operation. */
    @FunctionalInterface
    public interface Faults {
        /** Interferes with nothing. */
        Faults NONE = (operation, done) -> {};

        /**
         * Is asked before and after every operation; what it throws is what the caller gets.
         *
         * @param done false before it, true after it succeeded
         */
        void at(Operation operation, boolean done) throws IOException;
    }

    /** An operation of the store behind. */
    @FunctionalInterface
    private interface Call<T> {
        T run() throws IOException;
    }

    private final Faults faults;
    private final AtomicInteger changes = new AtomicInteger();

    /** Puts faults before a store, which is closed with this one. */
    public FaultyStore(BlobStore store, Faults faults) {
        super(store);
        this.faults = faults;
    }

    private <T> T call(Kind kind, String key, Call<T> call) throws IOException {
        Operation operation = new Operation(kind, key, kind.isChange() ? changes.getAndIncrement() : -1);
        faults.at(operation, false);
        T result = call.run();
        faults.at(operation, true);
        return result;
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return call(Kind.PUT, key, () -> store.putIfAbsent(key, content));
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new FaultyWriter(key, call(Kind.CREATE, key, () -> store.create(key)));
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        return call(Kind.GET, key, () -> store.get(key, offset, target));
    }

    @Override
    public long size(String key) throws IOException {
        return call(Kind.SIZE, key, () -> store.size(key));
    }

    @Override
    public boolean exists(String key) throws IOException {
        return call(Kind.SIZE, key, () -> store.exists(key));
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        return call(Kind.LIST, prefix, () -> store.page(prefix, afterKey, maxObjects));
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        return call(Kind.CHILDREN, prefix, () -> store.children(prefix));
    }

    @Override
    public void move(String key, String target, long maxBytes) throws IOException {
        call(Kind.DELETE, key, () -> {
            store.move(key, target, maxBytes);
            return true;
        });
    }

    @Override
    public void delete(String key) throws IOException {
        call(Kind.DELETE, key, () -> {
            store.delete(key);
            return key;
        });
    }

    private final class FaultyWriter implements BlobWriter {
        private final String key;
        private final BlobWriter writer;

        FaultyWriter(String key, BlobWriter writer) {
            this.key = key;
            this.writer = writer;
        }

        @Override
        public void write(MemorySegment source, long offset, long length) throws IOException {
            call(Kind.WRITE, key, () -> {
                writer.write(source, offset, length);
                return key;
            });
        }

        @Override
        public boolean sharesBlocksWith(Fd source) {
            return writer.sharesBlocksWith(source);
        }

        @Override
        public long copyFrom(Fd source, long position, long length) throws IOException {
            return call(Kind.COPY, key, () -> writer.copyFrom(source, position, length));
        }

        @Override
        public void read(long position, MemorySegment target, long offset, long length) throws IOException {
            call(Kind.READ_BACK, key, () -> {
                writer.read(position, target, offset, length);
                return key;
            });
        }

        @Override
        public void commit() throws IOException {
            call(Kind.COMMIT, key, () -> {
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
