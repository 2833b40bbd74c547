package io.chagres.archive.log;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Plays the writer of one host's log. Its clock goes forward by a second with each commit. */
public final class LogFixture implements AutoCloseable {
    public static final String HOST = "00000000000000aa";

    public final BlobStore store;
    public final CommitBuilder builder = new CommitBuilder(4 << 20, 1);
    public long timeMs = 1_700_000_000_000L;
    private CommitLog log;

    public LogFixture(BlobStore store) throws IOException {
        this(store, 1);
    }

    /** Continues the log of the store as another incarnation. */
    public LogFixture(BlobStore store, int incarnation) throws IOException {
        this.store = store;
        log = new CommitLog(store, HOST, Samples.id(incarnation), load(store).logEnd(), () -> timeMs);
    }

    public static HostState load(BlobStore store) throws IOException {
        return HostLog.load(store, HOST, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    public HostState load() throws IOException {
        return load(store);
    }

    public LogFixture write(LogRecord... records) {
        for (LogRecord record : records) {
            builder.records().write(record);
        }
        return this;
    }

    public LogFixture run(long version, long start, byte[] bytes) {
        if (!builder.reserve(bytes.length)) {
            throw new AssertionError("full");
        }
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, builder.data(), builder.dataLength(), bytes.length);
        builder.appendRun(version, start, bytes.length, Samples.crc(bytes), timeMs * 1_000_000);
        return this;
    }

    public long commit() throws IOException {
        append();
        return log.seq();
    }

    /** Offers the commit; after a failure it can be offered again. */
    public void append() throws IOException {
        log.append(builder);
        builder.reset();
        timeMs += 1000;
    }

    @Override
    public void close() {
        builder.close();
    }
}
