package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordColumns;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.SeekableFrames;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Streams a checkpoint into an object, one frame in memory at a time, and its index. Confined to one thread.
 */
final class CheckpointWriter implements RecordSink, AutoCloseable {
    /** The most bytes of a block: it and the header fit one frame. */
    static final int MAX_BLOCK_BYTES = SeekableFrames.FRAME_BYTES - FixedHeader.BYTES - Integer.BYTES;

    /** Columns may have twice the bytes of their records, where small and huge numbers take turns. */
    private static final int BLOCK_BYTES = 64 * 1024;

    /** A reader that looks for one record decompresses one block. */
    static final int INDEXED_BLOCK_BYTES = 32 * 1024;

    /** The most bytes of a frame as it is stored. */
    static final int MAX_FRAME_BYTES = SeekableFrames.boundOf(SeekableFrames.FRAME_BYTES);

    private static final int LEVEL = 3;

    /** Nobody fetches these over a network. */
    private static final int LOCAL_LEVEL = 1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Writes records into an object. */
    @FunctionalInterface
    interface Records {
        void writeTo(CheckpointWriter out) throws IOException;
    }

    private final Target object;
    private final @Nullable TableIndex index;
    private final byte[] fixed;
    private final int blockBytes;
    private final Arena arena = Arena.ofConfined();
    private final SeekableFrames frames;
    private final MemorySegment content = arena.allocate(SeekableFrames.FRAME_BYTES, 8);
    private final ByteBuffer contentBytes = content.asByteBuffer();
    private final MemorySegment stored = arena.allocate(MAX_FRAME_BYTES, 8);
    private final ByteBuffer storedBytes = stored.asByteBuffer();
    private final CRC32C crc = new CRC32C();
    private final RecordWriter records = new RecordWriter();
    private final RecordColumns columns = new RecordColumns();
    private int length;
    private long count;
    private long objectBytes;

    /** Takes what is written, borrowed until return. */
    @FunctionalInterface
    interface Target {
        void write(MemorySegment source, long offset, long length) throws IOException;
    }

    /** Begins an object in a store. */
    CheckpointWriter(Target object, FixedHeader header) {
        this(object, header, LEVEL, false);
    }

    /** Begins a local table. */
    static CheckpointWriter ofLocal(Target object, FixedHeader header) {
        return new CheckpointWriter(object, header, LOCAL_LEVEL, true);
    }

    private CheckpointWriter(Target object, FixedHeader header, int level, boolean isLocal) {
        this.object = (source, offset, bytes) -> {
            objectBytes += bytes;
            object.write(source, offset, bytes);
        };
        index = TableIndex.isOf(header.kind()) ? new TableIndex(header.kind(), isLocal) : null;
        blockBytes = index == null ? BLOCK_BYTES : INDEXED_BLOCK_BYTES;
        frames = new SeekableFrames(level);
        header.encode(content, 0);
        length = FixedHeader.BYTES;
        fixed = content.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void write(LogRecord record) throws IOException {
        if (!add(record)) {
            throw new IllegalStateException("records are out of order: " + record);
        }
    }

    /** Writes a record that somebody else may have put out of its order; returns false if so, and is of no use then. */
    boolean add(LogRecord record) throws IOException {
        boolean full = records.length() >= blockBytes;
        if (index == null ? full : index.endsBefore(record, full)) {
            block();
        }
        records.write(record);
        count++;
        return index == null || index.add(record);
    }

    /** Ends a block; says whether {@link #copy} may follow: not as the first, which has the header. */
    boolean mayCopy() throws IOException {
        if (records.length() > 0) {
            block();
        }
        return length == 0;
    }

    /**
     * Takes a block of another table, behind all that was written.
     *
     * @param frame the block as it is stored, {@link #MAX_FRAME_BYTES} at most
     * @param contentBytes what the frame holds
     * @param lastId the last version that is known to be in it or before it
     */
    void copy(TableBlocks.Block block, byte[] frame, int contentBytes, long lastId) throws IOException {
        Objects.requireNonNull(index).copy(block, lastId);
        count += block.records();
        MemorySegment.copy(frame, 0, stored, ValueLayout.JAVA_BYTE, 0, frame.length);
        frames.note(frame.length, contentBytes);
        object.write(stored, 0, frame.length);
    }

    /** Returns how many bytes the object has; after the end. */
    long objectBytes() {
        return objectBytes;
    }

    private void block() throws IOException {
        if (records.length() > MAX_BLOCK_BYTES) {
            throw new IllegalStateException("a block of " + records.length() + " bytes");
        }
        columns.encode(records.array(), records.length());
        if (columns.length() > MAX_BLOCK_BYTES) {
            throw new IllegalStateException("columns of " + columns.length() + " bytes");
        }
        content.set(INT, length, columns.length());
        length += Integer.BYTES;
        MemorySegment.copy(columns.array(), 0, content, ValueLayout.JAVA_BYTE, length, columns.length());
        length += columns.length();
        if (index != null) {
            index.endBlock(records.array(), records.length());
        }
        records.reset();
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
        length += Integer.BYTES;
        if (index == null) {
            content.set(LONG, length, count);
            length += Long.BYTES;
            crc.update(contentBytes.slice(0, length));
            content.set(INT, length, (int) crc.getValue());
            length += Integer.BYTES;
            store();
        } else {
            store();
            put(index.bytes());
            put(index.footer(fixed));
        }
        MemorySegment table = arena.allocate(frames.tableBytes());
        object.write(table, 0, frames.table(table, 0));
    }

    /** Writes bytes in frames of their own. */
    private void put(byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length; at += SeekableFrames.FRAME_BYTES) {
            length = Math.min(SeekableFrames.FRAME_BYTES, bytes.length - at);
            MemorySegment.copy(bytes, at, content, ValueLayout.JAVA_BYTE, 0, length);
            store();
        }
    }

    @Override
    public void close() {
        frames.close();
        arena.close();
    }
}
