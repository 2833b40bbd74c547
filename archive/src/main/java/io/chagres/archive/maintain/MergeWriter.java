package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Extents;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Writes ranges of versions as new data objects. It takes as many ranges at a time as memory allows and reads them in
 * the order in which the store holds their bytes, not one by one. Owns its memory; confined to one thread.
 */
final class MergeWriter implements AutoCloseable {
    private static final int PIECE = LogRecord.PIECE_BYTES;

    /** A part of a range, and where it goes. */
    private record Part(CompactionPlan.Merge merge, LogRecord.Extent extent, MemorySegment target) {}

    private final BlobStore store;
    private final String hostId;
    private final VersionReader reader;
    private final Compact.Listener listener;
    private final SeekableFrames frames;
    private final SecureRandom random = new SecureRandom();
    private final CRC32C crc = new CRC32C();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment stored = arena.allocate(SeekableFrames.boundOf(PIECE), 64);
    private final ByteBuffer storedBytes = stored.asByteBuffer();
    private final Map<CompactionPlan.Merge, LogRecord.ObjectRun> written = new HashMap<>();
    private long doneBytes;
    private long storedTotal;

    MergeWriter(BlobStore store, String hostId, VersionReader reader, int level, Compact.Listener listener) {
        this.store = store;
        this.hostId = hostId;
        this.reader = reader;
        this.listener = listener;
        frames = new SeekableFrames(level);
    }

    /**
     * Writes all ranges but those whose bytes are damaged.
     *
     * @param memoryBytes how many bytes of ranges are held in memory, if one range alone is not larger
     * @return the object of each range that was written
     */
    Map<CompactionPlan.Merge, LogRecord.ObjectRun> write(List<CompactionPlan.Merge> merges, long memoryBytes)
            throws IOException {
        long total = merges.stream().mapToLong(CompactionPlan.Merge::length).sum();
        int from = 0;
        while (from < merges.size()) {
            int to = from;
            long bytes = 0;
            while (to < merges.size() && (to == from || bytes + merges.get(to).length() <= memoryBytes)) {
                bytes += merges.get(to).length();
                to++;
            }
            writeBatch(merges.subList(from, to), bytes);
            doneBytes += bytes;
            listener.progress(doneBytes, total);
            from = to;
        }
        return written;
    }

    /** Returns the size of all objects that were written. */
    long storedBytes() {
        return storedTotal;
    }

    private void writeBatch(List<CompactionPlan.Merge> merges, long bytes) throws IOException {
        try (Arena batch = Arena.ofConfined()) {
            MemorySegment content = batch.allocate(bytes, 64);
            List<Part> parts = new ArrayList<>();
            Map<CompactionPlan.Merge, MemorySegment> contents = new HashMap<>();
            long offset = 0;
            for (CompactionPlan.Merge merge : merges) {
                MemorySegment of = content.asSlice(offset, merge.length());
                contents.put(merge, of);
                offset += merge.length();
                addParts(merge, of, parts);
            }
            parts.sort(Comparator.comparing(Part::extent, Extents.AS_STORED));
            reader.expect(parts.stream().map(Part::extent).iterator());
            for (Part part : parts) {
                if (contents.containsKey(part.merge()) && !read(part)) {
                    contents.remove(part.merge());
                }
            }
            for (CompactionPlan.Merge merge : merges) {
                MemorySegment of = contents.get(merge);
                if (of != null) {
                    written.put(merge, writeObject(merge, of));
                }
            }
        }
    }

    private static void addParts(CompactionPlan.Merge merge, MemorySegment content, List<Part> parts) {
        for (int i = merge.first(); i <= merge.last(); i++) {
            LogRecord.Extent extent = Extents.of(merge.version()).get(i);
            parts.add(new Part(merge, extent, content.asSlice(extent.start() - merge.start(), extent.length())));
        }
    }

    private boolean read(Part part) throws IOException {
        long start = part.extent().start();
        long done = 0;
        try {
            while (done < part.target().byteSize()) {
                done += reader.read(
                        part.merge().version(), start + done, part.target().asSlice(done));
            }
            return true;
        } catch (CorruptArchiveException e) {
            listener.skipped(part.merge().describe(), e);
            return false;
        }
    }

    private LogRecord.ObjectRun writeObject(CompactionPlan.Merge merge, MemorySegment content) throws IOException {
        long id = merge.version().id();
        long unique = random.nextLong();
        int[] crcs = new int[(int) ((merge.length() + PIECE - 1) / PIECE)];
        ByteBuffer bytes = content.asByteBuffer();
        frames.reset();
        long length = 0;
        String key = ArchiveLayout.object(hostId, id, merge.start(), merge.end(), unique, Codec.ZSTD);
        try (BlobWriter writer = store.create(key);
                Arena scratch = Arena.ofConfined()) {
            for (int i = 0; i < crcs.length; i++) {
                int at = i * PIECE;
                int piece = (int) Math.min(PIECE, merge.length() - at);
                crc.reset();
                crc.update(bytes.slice(at, piece));
                crcs[i] = (int) crc.getValue();
                int size = frames.frame(storedBytes, 0, bytes, at, piece);
                writer.write(stored, 0, size);
                length += size;
            }
            MemorySegment table = scratch.allocate(frames.tableBytes());
            writer.write(table, 0, frames.table(table, 0));
            length += table.byteSize();
            writer.commit();
        }
        storedTotal += length;
        long mtimeNs = Extents.of(merge.version()).get(merge.last()).mtimeNs();
        return new LogRecord.ObjectRun(id, merge.start(), merge.length(), unique, length, Codec.ZSTD, crcs, mtimeNs);
    }

    @Override
    public void close() {
        frames.close();
        arena.close();
    }
}
