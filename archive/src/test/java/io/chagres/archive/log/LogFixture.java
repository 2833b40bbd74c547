package io.chagres.archive.log;

import io.chagres.archive.Record;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Plays the writer of one host's log. Its clock goes forward by a second with each commit. */
final class LogFixture implements AutoCloseable {
    static final String HOST = "00000000000000aa";

    final BlobStore store;
    final CommitBuilder builder = new CommitBuilder(4 << 20, 1);
    long timeMs = 1_700_000_000_000L;
    private CommitLog log;

    LogFixture(BlobStore store) throws IOException {
        this(store, 1);
    }

    /** Continues the log of the store as another incarnation. */
    LogFixture(BlobStore store, int incarnation) throws IOException {
        this.store = store;
        log = new CommitLog(store, HOST, Samples.id(incarnation), load(store), () -> timeMs);
    }

    static HostState load(BlobStore store) throws IOException {
        return HostLog.load(store, HOST, At.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    HostState load() throws IOException {
        return load(store);
    }

    LogFixture write(Record... records) {
        for (Record record : records) {
            builder.records().write(record);
        }
        return this;
    }

    LogFixture run(long version, long start, byte[] bytes) {
        if (!builder.reserve(bytes.length)) {
            throw new AssertionError("full");
        }
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, builder.data(), builder.dataLength(), bytes.length);
        builder.appendRun(version, start, bytes.length, Samples.crc(bytes), timeMs * 1_000_000);
        return this;
    }

    long commit() throws IOException {
        append();
        return log.seq();
    }

    /** Offers the commit; after a failure it can be offered again. */
    void append() throws IOException {
        log.append(builder);
        builder.reset();
        timeMs += 1000;
    }

    @Override
    public void close() {
        builder.close();
    }
}
