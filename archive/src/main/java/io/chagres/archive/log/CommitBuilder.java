package io.chagres.archive.log;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Collects one commit: records, and the bytes of small runs in a region that callers read files straight into. Owns its
 * memory, takes it on demand and gives it back. Confined to one thread at a time; appending a run allocates nothing
 * while there is room.
 */
public final class CommitBuilder implements AutoCloseable {
    private static final int FIRST_DATA_BYTES = 512 * 1024;

    private final int maxDataBytes;
    private final SeekableFrames frames;
    private final RecordWriter records = new RecordWriter();
    private Arena dataArena = Arena.ofShared();
    private MemorySegment data = MemorySegment.NULL;
    private ByteBuffer dataBytes = ByteBuffer.allocateDirect(0);
    private int dataLength;
    private Arena sealedArena = Arena.ofShared();
    private MemorySegment sealedRegion = MemorySegment.NULL;
    private @Nullable MemorySegment sealed;
    private byte @Nullable [] nonce;
    private byte @Nullable [] chain;

    /**
     * Makes an empty builder.
     *
     * @param maxDataBytes how many bytes of runs one commit takes at most
     * @param level zstd level, 1 to 19
     */
    public CommitBuilder(int maxDataBytes, int level) {
        this.maxDataBytes = maxDataBytes;
        frames = new SeekableFrames(level);
    }

    /** Returns the records; append to them. */
    public RecordWriter records() {
        return records;
    }

    /** Returns the region of the runs; owned by the builder, valid until the next {@link #reserve} or reset. */
    public MemorySegment data() {
        return data;
    }

    /** Returns the region of the runs as a buffer over the same memory. */
    public ByteBuffer dataBytes() {
        return dataBytes;
    }

    /** Returns how many bytes of the region are used; read the next run to this offset. */
    public int dataLength() {
        return dataLength;
    }

    /** Says whether nothing was appended. */
    public boolean isEmpty() {
        return records.count() == 0;
    }

    /** Says whether a commit this large should not wait any longer. */
    public boolean isFull() {
        return dataLength > maxDataBytes - SeekableFrames.FRAME_BYTES || records.length() > maxDataBytes;
    }

    /** Makes room for a run of some bytes behind {@link #dataLength}; false when the commit is full. */
    public boolean reserve(int bytes) {
        if (dataLength + bytes > maxDataBytes || records.length() > maxDataBytes) {
            return false;
        }
        if (dataLength + bytes > data.byteSize()) {
            grow(dataLength + bytes);
        }
        return true;
    }

    private void grow(int needed) {
        long size = Math.clamp(data.byteSize() * 2, Math.max(needed, FIRST_DATA_BYTES), maxDataBytes);
        Arena arena = Arena.ofShared();
        MemorySegment larger = SeekableFrames.region(arena, size);
        MemorySegment.copy(data, 0, larger, 0, dataLength);
        dataArena.close();
        dataArena = arena;
        data = larger;
        dataBytes = larger.asByteBuffer();
    }

    /** Appends the run whose bytes were put at {@link #dataLength}. */
    public void appendRun(long versionId, long start, int length, int crc, long mtimeNs) {
        records.run(versionId, start, length, 0, dataLength, crc, mtimeNs);
        dataLength += length;
    }

    /**
     * Turns what was collected into the bytes of a commit. Sealing again returns the same bytes, so that a put that
     * was not answered can be repeated.
     *
     * @return the commit; owned by the builder, valid until {@link #reset}
     */
    MemorySegment seal(long seq, long timeMs, byte[] incarnation, byte[] newNonce, byte[] predecessor) {
        if (sealed != null) {
            return sealed;
        }
        byte[] header = CommitHeader.encode(
                CommitHeader.COMMIT, seq, timeMs, incarnation, newNonce, predecessor, records);
        frames.reset();
        int frameCount = (dataLength + SeekableFrames.FRAME_BYTES - 1) / SeekableFrames.FRAME_BYTES;
        long bound = header.length
                + (long) frameCount * (SeekableFrames.boundOf(SeekableFrames.FRAME_BYTES) + SeekableFrames.ENTRY_BYTES)
                + 64;
        MemorySegment out = sealedRegion(bound);
        MemorySegment.copy(MemorySegment.ofArray(header), 0, out, 0, header.length);
        ByteBuffer outBytes = out.asByteBuffer();
        int at = header.length;
        for (int from = 0; from < dataLength; from += SeekableFrames.FRAME_BYTES) {
            at += frames.frame(
                    outBytes, at, dataBytes, from, Math.min(SeekableFrames.FRAME_BYTES, dataLength - from));
        }
        at += frames.table(out, at);
        nonce = newNonce;
        chain = CommitHeader.chainOf(header);
        sealed = out.asSlice(0, at);
        return sealed;
    }

    private MemorySegment sealedRegion(long bytes) {
        if (sealedRegion.byteSize() < bytes) {
            sealedArena.close();
            sealedArena = Arena.ofShared();
            sealedRegion = SeekableFrames.region(sealedArena, bytes);
        }
        return sealedRegion;
    }

    /** Returns the nonce of the sealed commit, or null when it is not sealed. */
    byte @Nullable [] nonce() {
        return nonce;
    }

    /** Returns what the next commit refers to, or null when this one is not sealed. */
    byte @Nullable [] chain() {
        return chain;
    }

    /** Forgets everything that was appended; memory stays for the next commit. */
    public void reset() {
        records.reset();
        dataLength = 0;
        sealed = null;
        nonce = null;
        chain = null;
    }

    /** Gives memory back that only a burst needed; only while the builder is empty. */
    public void trim() {
        if (!isEmpty()) {
            return;
        }
        records.trim();
        if (data.byteSize() > FIRST_DATA_BYTES) {
            dataArena.close();
            dataArena = Arena.ofShared();
            data = MemorySegment.NULL;
            dataBytes = ByteBuffer.allocateDirect(0);
        }
        if (sealedRegion.byteSize() > FIRST_DATA_BYTES) {
            sealedArena.close();
            sealedArena = Arena.ofShared();
            sealedRegion = MemorySegment.NULL;
        }
    }

    @Override
    public void close() {
        frames.close();
        dataArena.close();
        sealedArena.close();
    }
}
