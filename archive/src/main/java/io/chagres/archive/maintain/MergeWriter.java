package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FrameWriter;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import java.util.zip.CRC32C;

/**
 * Writes ranges of versions as new data objects and packs. It takes as many objects at a time as memory allows and
 * reads their bytes in the order in which the store holds them, not one by one. Owns its memory; confined to one
 * thread.
 */
final class MergeWriter implements AutoCloseable {
    private static final int PIECE = LogRecord.PIECE_BYTES;
    private static final long NEWLINES = 0x0a0a0a0a0a0a0a0aL;
    private static final long LOW_BITS = 0x7f7f7f7f7f7f7f7fL;
    private static final long PAIRS = 0x00ff00ff00ff00ffL;
    /** So many that a byte can count the newlines of its place in each. */
    private static final int WORDS = 128;

    private final BlobStore store;
    private final String hostId;
    private final VersionReader reader;
    private final StoredFacts facts;
    private final Compact.Listener listener;
    private final Codec codec;
    private final SeekableFrames packFrames;
    private final FrameWriter objectFrames;
    private final SecureRandom random = new SecureRandom();
    private final CRC32C crc = new CRC32C();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment stored;
    private final ByteBuffer storedBytes;
    private final Map<Long, List<LogRecord.Extent>> written = new HashMap<>();
    private final long[] words = new long[WORDS];
    private Arena memory = Arena.ofConfined();
    private MemorySegment region = MemorySegment.NULL;
    private long objects;
    private long contentTotal;
    private long storedTotal;

    /** Makes a writer that tells what is known of what it wrote. */
    MergeWriter(
            BlobStore store,
            VersionReader reader,
            StoredFacts facts,
            Compact.Options options,
            Compact.Listener listener) {
        this.store = store;
        this.facts = facts;
        this.hostId = facts.hostId();
        this.reader = reader;
        this.listener = listener;
        codec = options.codec();
        packFrames = new SeekableFrames(options.level());
        objectFrames = FrameWriter.of(codec, options.level());
        stored = arena.allocate(Math.max(packFrames.frameBound(), objectFrames.frameBound()), 64);
        storedBytes = stored.asByteBuffer();
    }

    /**
     * Writes all ranges but those whose bytes are damaged.
     *
     * @param memoryBytes how many bytes of ranges are held in memory, if one object alone is not larger
     * @return the new extents of each version, in order
     */
    Map<Long, List<LogRecord.Extent>> write(List<CompactionPlan.Output> outputs, long memoryBytes) throws IOException {
        long total = outputs.stream().mapToLong(CompactionPlan.Output::length).sum();
        long doneBytes = 0;
        int from = 0;
        while (from < outputs.size()) {
            int to = from;
            long bytes = 0;
            while (to < outputs.size() && (to == from || bytes + outputs.get(to).length() <= memoryBytes)) {
                bytes += outputs.get(to).length();
                to++;
            }
            writeBatch(outputs.subList(from, to), bytes);
            doneBytes += bytes;
            listener.progress(doneBytes, total);
            from = to;
        }
        written.values().forEach(extents -> extents.sort(Comparator.comparingLong(LogRecord.Extent::start)));
        return written;
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
        List<CompactionPlan.Merge> merges =
                outputs.stream().flatMap(output -> output.merges().stream()).toList();
        Map<CompactionPlan.Merge, Long> offsets = new HashMap<>();
        long offset = 0;
        for (CompactionPlan.Merge merge : merges) {
            offsets.put(merge, offset);
            offset += merge.length();
        }
        Iterable<StoredOrder.Part> parts = () -> new StoredOrder(merges);
        reader.expect(StreamSupport.stream(parts::spliterator, 0, false) // gone through once more if it is asked for
                .map(StoredOrder.Part::extent)
                .iterator());
        for (StoredOrder.Part part : parts) {
            Long at = offsets.get(part.merge());
            if (at != null && !read(part, content.asSlice(at, part.merge().length()))) {
                offsets.remove(part.merge());
            }
        }
        for (CompactionPlan.Output output : outputs) {
            List<CompactionPlan.Merge> whole =
                    output.merges().stream().filter(offsets::containsKey).toList();
            if (!whole.isEmpty()) {
                MemorySegment of = joined(whole, offsets, content);
                if (output.pack()) {
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
        CompactionPlan.Merge merge = part.merge();
        long at = Math.max(merge.start(), part.extent().start());
        long end = Math.min(merge.end(), part.extent().end());
        try {
            while (at < end) {
                at += reader.read(merge.version(), at, target.asSlice(at - merge.start(), end - at));
            }
            return true;
        } catch (CorruptArchiveException e) {
            listener.skipped(merge.describe(), e);
            return false;
        }
    }

    /** Returns the bytes of merges one after the other: they lie so already, unless one between them is damaged. */
    private static MemorySegment joined(
            List<CompactionPlan.Merge> merges, Map<CompactionPlan.Merge, Long> offsets, MemorySegment content) {
        long start = offsets.getOrDefault(merges.getFirst(), 0L);
        long end = start;
        for (CompactionPlan.Merge merge : merges) {
            long offset = offsets.getOrDefault(merge, end);
            if (offset != end) {
                MemorySegment.copy(content, offset, content, end, merge.length());
            }
            end += merge.length();
        }
        return content.asSlice(start, end - start);
    }

    private void writeObject(CompactionPlan.Merge merge, MemorySegment content) throws IOException {
        long id = merge.version().id();
        long unique = random.nextLong();
        int[] crcs = new int[SeekableFrames.framesOf(merge.length())];
        ByteBuffer bytes = content.asByteBuffer();
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = crcOf(bytes, i * PIECE, (int) Math.min(PIECE, merge.length() - (long) i * PIECE));
        }
        String key = ArchiveLayout.object(hostId, id, merge.start(), merge.end(), unique, codec);
        long length = store(key, bytes, objectFrames);
        add(
                merge,
                new LogRecord.ObjectRun(id, merge.start(), merge.length(), unique, length, codec, crcs, mtimeNs(merge)),
                content);
    }

    private void writePack(List<CompactionPlan.Merge> merges, MemorySegment content) throws IOException {
        long unique = random.nextLong();
        long length = content.byteSize();
        ByteBuffer bytes = content.asByteBuffer();
        store(ArchiveLayout.pack(hostId, length, unique), bytes, packFrames);
        int offset = 0;
        for (CompactionPlan.Merge merge : merges) {
            for (long at = merge.start(); at < merge.end(); at += PIECE) {
                int piece = (int) Math.min(PIECE, merge.end() - at);
                int checksum = crcOf(bytes, offset, piece);
                add(
                        merge,
                        new LogRecord.PackedRun(
                                merge.version().id(), at, piece, unique, length, offset, checksum, mtimeNs(merge)),
                        content.asSlice(offset, piece));
                offset += piece;
            }
        }
    }

    private void add(CompactionPlan.Merge merge, LogRecord.Extent extent, MemorySegment content) {
        facts.put(extent, facts.of(merge.version(), extent.start(), extent.end(), newlines(content)));
        written.computeIfAbsent(extent.versionId(), id -> new ArrayList<>(1)).add(extent);
    }

    /** Counts newlines, eight bytes at a time in an array: commands like this run without the optimizing compiler. */
    private long newlines(MemorySegment content) {
        long count = 0;
        long at = 0;
        for (; at + WORDS * Long.BYTES <= content.byteSize(); at += WORDS * Long.BYTES) {
            MemorySegment.copy(content, ValueLayout.JAVA_LONG_UNALIGNED, at, words, 0, WORDS);
            long ofEachByte = 0;
            for (long each : words) {
                long word = each ^ NEWLINES;
                ofEachByte += ~((word & LOW_BITS) + LOW_BITS | word | LOW_BITS) >>> 7; // 1 in a byte that was one
            }
            long ofPairs = (ofEachByte & PAIRS) + (ofEachByte >>> 8 & PAIRS);
            count += ofPairs * 0x0001000100010001L >>> 48;
        }
        for (; at < content.byteSize(); at++) {
            count += content.get(ValueLayout.JAVA_BYTE, at) == '\n' ? 1 : 0;
        }
        return count;
    }

    private int crcOf(ByteBuffer bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes.slice(offset, length));
        return (int) crc.getValue();
    }

    private static long mtimeNs(CompactionPlan.Merge merge) {
        ExtentList extents = Extents.of(merge.version());
        return extents.get(extents.indexOf(merge.end() - 1)).mtimeNs();
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
