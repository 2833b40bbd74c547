package io.chagres.archive.log;

import io.chagres.archive.sign.Sha256;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes the digest of what is stored while it is written, so that a commit can sign it. Stands below what encrypts.
 * Blocks of files are not shared: their bytes have to be read anyway.
 */
public final class DigestingStore extends ForwardingStore {
    /** Stands before a store, which the caller closes. */
    public DigestingStore(BlobStore store) {
        super(store);
    }

    @Override
    public BlobStore stored() {
        return store.stored();
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new Writer(store.create(key));
    }

    private static final class Writer implements BlobWriter {
        private final BlobWriter stored;
        private final Sha256 digest = new Sha256();
        private byte @Nullable [] sha256;

        Writer(BlobWriter stored) {
            this.stored = stored;
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
            sha256 = digest.digest();
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
