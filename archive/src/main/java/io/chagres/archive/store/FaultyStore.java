package io.chagres.archive.store;

import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store and lets faults happen at chosen operations: nothing of the operation happens, or all of it
 * happens and the answer is lost. Counts the operations that change the store. For tests of whatever stands on a store;
 * as safe for threads as the faults are, but for the count.
 */
public final class FaultyStore implements BlobStore {
    /** Decides what becomes of an operation. */
    @FunctionalInterface
    public interface Faults {
        /**
         * Is asked before and after every operation that changes the store.
         *
         * @param operation number of the operation, from 0
         * @param done false before it, true after it
         */
        void at(int operation, boolean done) throws IOException;
    }

    private final BlobStore store;
    private final Faults faults;
    private int operations;

    /** Puts faults before a store. */
    public FaultyStore(BlobStore store, Faults faults) {
        this.store = store;
        this.faults = faults;
    }

    /** Returns how many operations were begun. */
    public int operations() {
        return operations;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        int operation = operations++;
        faults.at(operation, false);
        boolean created = store.putIfAbsent(key, content);
        faults.at(operation, true);
        return created;
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        BlobWriter writer = store.create(key);
        return new BlobWriter() {
            @Override
            public void write(MemorySegment source, long offset, long length) throws IOException {
                writer.write(source, offset, length);
            }

            @Override
            public long copyFrom(Fd source, long position, long length) throws IOException {
                return writer.copyFrom(source, position, length);
            }

            @Override
            public void read(long position, MemorySegment target, long offset, long length) throws IOException {
                writer.read(position, target, offset, length);
            }

            @Override
            public void commit() throws IOException {
                int operation = operations++;
                faults.at(operation, false);
                writer.commit();
                faults.at(operation, true);
            }

            @Override
            public void close() {
                writer.close();
            }
        };
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        return store.get(key, offset, target);
    }

    @Override
    public long size(String key) throws IOException {
        return store.size(key);
    }

    @Override
    public Iterable<BlobInfo> list(String prefix, @Nullable String afterKey) throws IOException {
        return store.list(prefix, afterKey);
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        return store.children(prefix);
    }

    @Override
    public void delete(String key) throws IOException {
        int operation = operations++;
        faults.at(operation, false);
        store.delete(key);
        faults.at(operation, true);
    }

    @Override
    public void close() {
        store.close();
    }
}
