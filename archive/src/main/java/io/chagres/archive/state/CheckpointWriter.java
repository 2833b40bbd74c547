package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Streams a checkpoint into an object, one frame in memory at a time. Confined to one thread. */
final class CheckpointWriter implements AutoCloseable {
    private static final int BLOCK_BYTES = 128 * 1024;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final BlobWriter object;
    private final Arena arena = Arena.ofConfined();
    private final SeekableFrames frames;
    private final MemorySegment content = arena.allocate(SeekableFrames.FRAME_BYTES, 8);
    private final ByteBuffer contentBytes = content.asByteBuffer();
    private final MemorySegment stored = arena.allocate(SeekableFrames.boundOf(SeekableFrames.FRAME_BYTES), 8);
    private final ByteBuffer storedBytes = stored.asByteBuffer();
    private final CRC32C crc = new CRC32C();
    private final RecordWriter records = new RecordWriter();
    private int length;
    private long count;
    private long recordBytes;

    CheckpointWriter(BlobWriter object, FixedHeader header, int level) {
        this.object = object;
        frames = new SeekableFrames(level);
        header.encode(content, 0);
        length = FixedHeader.BYTES;
    }

    void write(LogRecord record) throws IOException {
        records.write(record);
        count++;
        if (records.length() >= BLOCK_BYTES) {
            block();
        }
    }

    /** Returns how many bytes the records have; after the end. */
    long recordBytes() {
        return recordBytes;
    }

    private void block() throws IOException {
        if (records.length() > Checkpoint.MAX_BLOCK_BYTES) {
            throw new IllegalStateException("a block of " + records.length() + " bytes");
        }
        content.set(INT, length, records.length());
        length += Integer.BYTES;
        MemorySegment.copy(records.array(), 0, content, ValueLayout.JAVA_BYTE, length, records.length());
        length += records.length();
        recordBytes += records.length();
        records.reset();
        frame();
    }

    private void frame() throws IOException {
        crc.update(contentBytes.slice(0, length));
        store();
    }

    private void store() throws IOException {
        object.write(stored, 0, frames.frame(storedBytes, 0, contentBytes, 0, length));
        length = 0;
    }

    /** Writes the end; the object can be committed then. */
    void finish() throws IOException {
        if (records.length() > 0) {
            block();
        }
        content.set(INT, length, 0);
        content.set(LONG, length + 4L, count);
        crc.update(contentBytes.slice(0, length + 12));
        content.set(INT, length + 12L, (int) crc.getValue());
        length += 16;
        store();
        MemorySegment table = arena.allocate(frames.tableBytes());
        object.write(table, 0, frames.table(table, 0));
    }

    @Override
    public void close() {
        frames.close();
        arena.close();
    }
}
