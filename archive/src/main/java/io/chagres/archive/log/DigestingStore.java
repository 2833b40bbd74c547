package io.chagres.archive.log;

import io.chagres.archive.sign.Sha256;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the digest of what is stored while it is written, so that a commit can sign it. Stands below what encrypts.
 * Blocks of files are not shared: their bytes have to be read anyway.
 */
public final class DigestingStore extends ForwardingStore {
    private final BiConsumer<String, byte[]> listener;

    /** Stands before a store, which the caller closes. */
    public DigestingStore(BlobStore store) {
        this(store, (key, sha256) -> {});
    }

    /**
     * Stands before a store, which the caller closes.
     *
     * @param listener hears the key and the digest of each object that was written
     */
    public DigestingStore(BlobStore store, BiConsumer<String, byte[]> listener) {
        super(store);
        this.listener = listener;
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new Writer(store.create(key), sha256 -> listener.accept(key, sha256));
    }

    private static final class Writer implements BlobWriter {
        private final BlobWriter stored;
        private final Consumer<byte[]> listener;
        private final Sha256 digest = new Sha256();
        private byte @Nullable [] sha256;

        Writer(BlobWriter stored, Consumer<byte[]> listener) {
            this.stored = stored;
            this.listener = listener;
        }

        @Override
        public void write(MemorySegment source, long offset, long length) throws IOException {
            digest.update(source, offset, length);
            stored.write(source, offset, length);
        }

        @Override
        public void read(long position, MemorySegment target, long offset, long length) throws IOException {
            stored.read(position, target, offset, length);
        }

        @Override
        public void commit() throws IOException {
            stored.commit();
            byte[] taken = digest.digest();
            sha256 = taken;
            listener.accept(taken);
        }

        @Override
        public byte @Nullable [] sha256() {
            return sha256;
        }

        @Override
        public void close() {
            stored.close();
        }
    }
}
