package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FrameWriter;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.StreamSupport;
import java.util.zip.CRC32C;

/**
 * Writes ranges of versions as new data objects and packs. It takes as many objects at a time as memory allows and
 * reads their bytes in the order in which the store holds them, not one by one. Owns its memory; confined to one
 * thread.
 */
final class MergeWriter implements AutoCloseable {
    private static final int PIECE = LogRecord.PIECE_BYTES;

    private final BlobStore store;
    private final String hostId;
    private final VersionReader reader;
    private final LongFunction<ExtentList> extentsOf;
    private final CompactListener listener;
    private final Codec codec;
    private final SeekableFrames packFrames;
    private final FrameWriter objectFrames;
    private final SecureRandom random = new SecureRandom();
    private final CRC32C crc = new CRC32C();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment stored;
    private final ByteBuffer storedBytes;
    private final WrittenExtents written;
    private Arena memory = Arena.ofConfined();
    private MemorySegment region = MemorySegment.NULL;
    private long objects;
    private long contentTotal;
    private long storedTotal;

    /**
     * Makes a writer.
     *
     * @param state keeps all extents
     * @param reader of that state
     * @param written takes what was written; stays the caller's
     */
    MergeWriter(
            BlobStore store,
            String hostId,
            HostState state,
            VersionReader reader,
            WrittenExtents written,
            CompactOptions options,
            CompactListener listener) {
        this.store = store;
        this.hostId = hostId;
        this.reader = reader;
        this.listener = listener;
        this.written = written;
        extentsOf = id -> Extents.of(Objects.requireNonNull(state.version(id)));
        codec = options.codec();
        packFrames = new SeekableFrames(options.level());
        objectFrames = FrameWriter.of(codec, options.level());
        stored = arena.allocate(Math.max(packFrames.frameBound(), objectFrames.frameBound()), 64);
        storedBytes = stored.asByteBuffer();
    }

    /**
     * Writes all ranges but those whose bytes are damaged; once.
     *
     * @param total how many bytes all have
     * @param memoryBytes how many bytes of ranges are held in memory, if one object alone is not larger
     * @param freed runs when what was held for some of them can be collected
     */
    void write(Iterable<CompactionPlan.Output> outputs, long total, long memoryBytes, Runnable freed)
            throws IOException {
        long doneBytes = 0;
        List<CompactionPlan.Output> batch = new ArrayList<>();
        long bytes = 0;
        int merges = 0;
        for (CompactionPlan.Output output : outputs) {
            int more = output.merges().size();
            boolean fits = bytes + output.length() <= memoryBytes && merges + more <= CompactionPlan.MAX_PIECES;
            if (!batch.isEmpty() && !fits) {
                writeBatch(batch, bytes);
                doneBytes += bytes;
                listener.progress(doneBytes, total);
                batch.clear();
                freed.run();
                bytes = 0;
                merges = 0;
            }
            batch.add(output);
            bytes += output.length();
            merges += more;
        }
        if (!batch.isEmpty()) {
            writeBatch(batch, bytes);
            listener.progress(doneBytes + bytes, total);
        }
    }

    /** Returns how many objects were written. */
    long objects() {
        return objects;
    }

    /** Returns how many bytes of files they hold. */
    long contentBytes() {
        return contentTotal;
    }

    /** Returns the size of all objects that were written. */
    long storedBytes() {
        return storedTotal;
    }

    private void writeBatch(List<CompactionPlan.Output> outputs, long bytes) throws IOException {
        MemorySegment content = room(bytes);
        List<List<StoredOrder.Source>> sources = new ArrayList<>();
        long offset = 0;
        for (CompactionPlan.Output output : outputs) {
            List<StoredOrder.Source> ofOutput = new ArrayList<>(output.merges().size());
            for (CompactionPlan.Merge merge : output.merges()) {
                listener.step(CompactAction.WRITE, merge.describe(), merge.length());
                ofOutput.add(new StoredOrder.Source(merge, extentsOf.apply(merge.versionId()), offset));
                offset += merge.length();
            }
            sources.add(ofOutput);
        }
        List<StoredOrder.Source> all = sources.stream().flatMap(List::stream).toList();
        Iterable<StoredOrder.Part> parts = () -> new StoredOrder(all);
        reader.expect(StreamSupport.stream(parts::spliterator, 0, false) // gone through once more if it is asked for
                .map(StoredOrder.Part::extent)
                .iterator());
        Set<StoredOrder.Source> damaged = Collections.newSetFromMap(new IdentityHashMap<>());
        for (StoredOrder.Part part : parts) {
            StoredOrder.Source of = part.source();
            if (!damaged.contains(of)
                    && !read(part, content.asSlice(of.offset(), of.merge().length()))) {
                damaged.add(of);
            }
        }
        for (int i = 0; i < outputs.size(); i++) {
            List<StoredOrder.Source> whole = sources.get(i);
            whole.removeIf(damaged::contains);
            if (!whole.isEmpty()) {
                MemorySegment of = joined(whole, content);
                if (outputs.get(i).pack()) {
                    writePack(whole, of);
                } else {
                    writeObject(whole.getFirst(), of);
                }
                objects++;
                contentTotal += of.byteSize();
            }
        }
    }

    /** Returns room for a batch, the same for all: fresh memory would have to be cleared each time. */
    private MemorySegment room(long bytes) {
        if (region.byteSize() < bytes) {
            memory.close();
            memory = Arena.ofConfined();
            region = memory.allocate(bytes, 64);
        }
        return region.asSlice(0, bytes);
    }

    /** Reads what a range wants of an extent to its place in the range; false when it is damaged. */
    private boolean read(StoredOrder.Part part, MemorySegment target) throws IOException {
        CompactionPlan.Merge merge = part.source().merge();
        long at = Math.max(merge.start(), part.extent().start());
        long end = Math.min(merge.end(), part.extent().end());
        try {
            while (at < end) {
                at += reader.read(part.extent(), at, target.asSlice(at - merge.start(), end - at));
            }
            return true;
        } catch (CorruptArchiveException e) {
            listener.skipped(merge.describe(), e);
            return false;
        } catch (EncryptedException e) {
            if (!ProtectedStore.keyRing(store).opensAll()) {
                throw e;
            }
            listener.skipped(merge.describe(), e.asDamage());
            return false;
        }
    }

    /** Returns the bytes of ranges one after the other: they lie so already, unless one between them is damaged. */
    private static MemorySegment joined(List<StoredOrder.Source> sources, MemorySegment content) {
        long start = sources.getFirst().offset();
        long end = start;
        for (StoredOrder.Source source : sources) {
            long length = source.merge().length();
            if (source.offset() != end) {
                MemorySegment.copy(content, source.offset(), content, end, length);
            }
            end += length;
        }
        return content.asSlice(start, end - start);
    }

    private void writeObject(StoredOrder.Source source, MemorySegment content) throws IOException {
        CompactionPlan.Merge merge = source.merge();
        long id = merge.versionId();
        long unique = random.nextLong();
        int[] crcs = new int[SeekableFrames.framesOf(merge.length())];
        ByteBuffer bytes = content.asByteBuffer();
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = crcOf(bytes, i * PIECE, (int) Math.min(PIECE, merge.length() - (long) i * PIECE));
        }
        String key = ArchiveLayout.object(hostId, id, merge.start(), merge.end(), unique, codec);
        long length = store(key, bytes, objectFrames);
        written.add(new LogRecord.ObjectRun(
                id, merge.start(), merge.length(), unique, length, codec, crcs, mtimeNs(source)));
    }

    private void writePack(List<StoredOrder.Source> sources, MemorySegment content) throws IOException {
        long unique = random.nextLong();
        long length = content.byteSize();
        ByteBuffer bytes = content.asByteBuffer();
        store(ArchiveLayout.pack(hostId, length, unique), bytes, packFrames);
        int offset = 0;
        for (StoredOrder.Source source : sources) {
            CompactionPlan.Merge merge = source.merge();
            for (long at = merge.start(); at < merge.end(); at += PIECE) {
                int piece = (int) Math.min(PIECE, merge.end() - at);
                int checksum = crcOf(bytes, offset, piece);
                written.add(new LogRecord.PackedRun(
                        merge.versionId(), at, piece, unique, length, offset, checksum, mtimeNs(source)));
                offset += piece;
            }
        }
    }

    private int crcOf(ByteBuffer bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes.slice(offset, length));
        return (int) crc.getValue();
    }

    private static long mtimeNs(StoredOrder.Source source) {
        ExtentList extents = source.extents();
        return extents.get(extents.indexOf(source.merge().end() - 1)).mtimeNs();
    }

    /** Writes an object and returns its size. */
    private long store(String key, ByteBuffer content, FrameWriter frames) throws IOException {
        frames.reset();
        long length = 0;
        try (BlobWriter writer = store.create(key);
                Arena scratch = Arena.ofConfined()) {
            for (int at = 0; at < content.capacity(); at += PIECE) {
                int size = frames.frame(storedBytes, 0, content, at, Math.min(PIECE, content.capacity() - at));
                writer.write(stored, 0, size);
                length += size;
            }
            MemorySegment table = scratch.allocate(frames.tableBytes());
            writer.write(table, 0, frames.table(table, 0));
            length += table.byteSize();
            writer.commit();
        }
        storedTotal += length;
        return length;
    }

    @Override
    public void close() {
        packFrames.close();
        objectFrames.close();
        arena.close();
        memory.close();
    }
}
