package io.chagres.cli.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.StoreTraits;
import io.chagres.cli.text.ByteSize;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The archive of a spool as its shipper sees it: it takes nothing while it is full of what is not delivered, which
 * stops the reading. Safe for any thread.
 */
final class SpoolStore extends ForwardingStore {
    /** An object under way is finished even in a full spool, so it has at most this part of the spool's size. */
    private static final int OBJECTS = 16;

    private final Spool spool;
    private final BooleanSupplier waits;

    /**
     * Stands before the archive, which it closes.
     *
     * @param waits whether there is something in it that was not delivered and will make room
     */
    SpoolStore(BlobStore archive, Spool spool, BooleanSupplier waits) {
        super(archive);
        this.spool = spool;
        this.waits = waits;
    }

    private void requireRoom() throws StoreException {
        if (spool.isFull() && waits.getAsBoolean()) {
            String message = "the spool " + spool.directory() + " is full: " + ByteSize.format(spool.usedBytes())
                    + " of --spool-size " + ByteSize.format(spool.maxBytes())
                    + " wait for Kafka";
            throw new StoreException(message, new IOException(message));
        }
    }

    @Override
    public StoreTraits traits() {
        return store.traits().withMaxObjectBytes(spool.maxBytes() / OBJECTS);
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        requireRoom();
        boolean put = store.putIfAbsent(key, content);
        spool.added(put ? content.byteSize() : 0);
        return put;
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        requireRoom();
        return new CountingWriter(store.create(key), spool);
    }

    /** Counts what is written. */
    private record CountingWriter(BlobWriter to, Spool spool) implements BlobWriter {
        @Override
        public void write(MemorySegment source, long offset, long length) throws IOException {
            to.write(source, offset, length);
            spool.added(length);
        }

        @Override
        public boolean sharesBlocksWith(Fd source) {
            return to.sharesBlocksWith(source);
        }

        @Override
        public long copyFrom(Fd source, long position, long length) throws IOException {
            long copied = to.copyFrom(source, position, length);
            spool.added(copied);
            return copied;
        }

        @Override
        public void read(long position, MemorySegment target, long offset, long length) throws IOException {
            to.read(position, target, offset, length);
        }

        @Override
        public void commit() throws IOException {
            to.commit();
        }

        @Override
        public byte @Nullable [] sha256() {
            return to.sha256();
        }

        @Override
        public void close() {
            to.close();
        }
    }
}
