package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What a checkpoint holds, laid out in a local file so that single versions and names are found without reading the
 * rest: a host with a million files is looked at with little of it in memory. It can be made from the checkpoint at any
 * time, by {@link CatalogWriter}. Little endian:
 *
 * <pre>
 * records of each version, versions in the order of their ids
 * blocks of directories, each after those of the directories in it:
 *   u32 offset in the block                      one for each name, in the order of their bytes
 *   name added                                   one for each name: the record, but of the last component alone, and
 *                                                with the number of a directory in the place of the version
 * records of the host: incarnation, retention
 * u64 id, u64 offset, u32 length, u32 names      one row for each version, ids ascending
 * u64 offset, u32 names, u32 length              one row for each directory; the root is the last
 * 128 B fixed header of the checkpoint
 * u64 offset of the records of the host, u64 offset of the first row, u64 versions, u64 directories, u64 names
 * u64 "chagcat2", u32 CRC32C of all before, u32 0
 * </pre>
 *
 * Methods throw {@link UncheckedIOException} if the file cannot be read any more. Safe for any thread.
 */
public final class CatalogFile implements AutoCloseable {
    static final int VERSION_ROW_BYTES = 24;
    static final int DIRECTORY_ROW_BYTES = 16;
    static final int FOOTER_BYTES = 184;
    static final int TOTALS = 128;
    static final int END = 168;
    static final long MAGIC = 0x3274616367616863L;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int CHUNK_BYTES = 1 << 20;

    /** A version of fewer extents is made again as fast as it is found, and would only grow old. */
    private static final int MIN_CACHED_EXTENTS = 256;

    private static final int MAX_CACHED_EXTENTS = 100_000;

    private final Fd file;
    private final FixedHeader header;
    private final long hostRecords;
    private final long rows;
    private final int versions;
    private final int directories;
    private final int names;
    private final long firstId;
    private final Map<Long, FileVersion> cached = new LinkedHashMap<>(16, 0.75f, true);
    private int cachedExtents;

    /** Takes over a file that was just written or proved to be whole. */
    CatalogFile(Fd file, byte[] footer) throws CorruptArchiveException {
        this.file = file;
        MemorySegment end = MemorySegment.ofArray(footer);
        header = FixedHeader.decode("a catalog", end, 0, FixedHeader.CHECKPOINT);
        hostRecords = end.get(LONG, TOTALS);
        rows = end.get(LONG, TOTALS + 8L);
        versions = (int) end.get(LONG, TOTALS + 16L);
        directories = (int) end.get(LONG, TOTALS + 24L);
        names = (int) end.get(LONG, TOTALS + 32L);
        firstId = versions == 0 ? 0 : row(0).id;
    }

    /** Returns the catalog in a file, or null if it is not whole; the file is then still the caller's. */
    static @Nullable CatalogFile open(Fd file) {
        try (Statx stat = new Statx();
                Arena arena = Arena.ofConfined()) {
            long length = stat.of(file.value()) < 0 ? 0 : stat.size();
            if (length < FOOTER_BYTES) {
                return null;
            }
            MemorySegment chunk = arena.allocate(CHUNK_BYTES, 8);
            CRC32C crc = new CRC32C();
            long checked = length - 8;
            for (long at = 0; at < checked; ) {
                long got = file.pread(chunk, 0, Math.min(CHUNK_BYTES, checked - at), at);
                if (got <= 0) {
                    return null;
                }
                crc.update(chunk.asSlice(0, got).asByteBuffer());
                at += got;
            }
            byte[] footer = bytes(file, length - FOOTER_BYTES, FOOTER_BYTES);
            MemorySegment end = MemorySegment.ofArray(footer);
            boolean whole = end.get(LONG, END) == MAGIC && end.get(INT, END + 8L) == (int) crc.getValue();
            return whole ? new CatalogFile(file, footer) : null;
        } catch (CorruptArchiveException | UncheckedIOException e) {
            return null;
        }
    }

    /** Where the records of a version are, and how many names it has. */
    record Row(long id, long offset, int length, int names) {}

    FixedHeader header() {
        return header;
    }

    /** Returns how many versions there are. */
    int versionCount() {
        return versions;
    }

    /** Returns how many names there are. */
    int nameCount() {
        return names;
    }

    /** Returns the greatest id of a version, 0 if there is none. */
    long lastId() {
        return versions == 0 ? 0 : row(versions - 1).id;
    }

    /** Returns the records of the host itself. */
    List<LogRecord> hostRecords() throws CorruptArchiveException {
        byte[] bytes = bytes(hostRecords, (int) (rows - hostRecords));
        RecordReader reader = new RecordReader("a catalog", bytes, 0, bytes.length);
        List<LogRecord> records = new ArrayList<>();
        while (reader.hasNext()) {
            records.add(reader.next());
        }
        return records;
    }

    /** Says whether there is a version with an id. */
    boolean holds(long id) {
        return find(id) >= 0;
    }

    /**
     * Returns a version, or null: each time another object, but for versions that take long to make.
     *
     * @param tree finds its names
     */
    @Nullable
    FileVersion version(long id, NameTree tree) {
        synchronized (cached) {
            FileVersion there = cached.get(id);
            if (there != null) {
                return there;
            }
        }
        int index = find(id);
        if (index < 0) {
            return null;
        }
        FileVersion version = decoded(row(index), tree);
        return weight(version) < MIN_CACHED_EXTENTS ? version : cached(version);
    }

    private FileVersion cached(FileVersion version) {
        synchronized (cached) {
            FileVersion there = cached.putIfAbsent(version.id(), version);
            if (there != null) {
                return there;
            }
            cachedExtents += weight(version);
            Iterator<FileVersion> eldest = cached.values().iterator();
            while (cached.size() > 1 && cachedExtents > MAX_CACHED_EXTENTS) {
                cachedExtents -= weight(eldest.next());
                eldest.remove();
            }
            return version;
        }
    }

    /** Returns a version that the caller keeps and may change, or null. */
    @Nullable
    FileVersion takeVersion(long id, NameTree tree) {
        FileVersion version = version(id, tree);
        synchronized (cached) {
            FileVersion there = cached.remove(id);
            cachedExtents -= there == null ? 0 : weight(there);
        }
        return version;
    }

    /** Visits the versions that have no name; of the others only their rows are read. */
    void forEachNameless(NameTree tree, Consumer<FileVersion> visitor) {
        for (int i = 0; i < versionCount(); i++) {
            Row row = row(i);
            if (row.names == 0) {
                visitor.accept(decoded(row, tree));
            }
        }
    }

    /** Returns the version in a place of the order of ids, from 0 on. */
    FileVersion versionAt(int index, NameTree tree) {
        return decoded(row(index), tree);
    }

    private static int weight(FileVersion version) {
        return version.extents() == null ? 0 : version.extents().size();
    }

    private FileVersion decoded(Row row, NameTree tree) {
        byte[] bytes = bytes(row.offset, row.length);
        try {
            return FileVersion.ofRecords(
                    new RecordReader("a catalog", bytes, 0, bytes.length), header.timeMs(), row.names, tree);
        } catch (CorruptArchiveException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the place of a version in the order of ids, or -1 - the place it would have. Ids mostly count by one. */
    int find(long id) {
        if (versions == 0 || id < firstId) {
            return -1;
        }
        int low = 0;
        int high = (int) Math.min(versions - 1L, id - firstId);
        int middle = high;
        while (low <= high) {
            long there = row(middle).id;
            if (there == id) {
                return middle;
            }
            if (there < id) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
            middle = (low + high) >>> 1;
        }
        return -1 - low;
    }

    private Row row(int index) {
        return rows(index, 1).getFirst();
    }

    /** Returns the rows of some versions in the order of their ids, the first by its place in it. */
    List<Row> rows(int index, int count) {
        int length = count * VERSION_ROW_BYTES;
        MemorySegment table = MemorySegment.ofArray(bytes(rows + (long) index * VERSION_ROW_BYTES, length));
        List<Row> found = new ArrayList<>(count);
        for (int at = 0; at < length; at += VERSION_ROW_BYTES) {
            found.add(new Row(
                    table.get(LONG, at), table.get(LONG, at + 8L), table.get(INT, at + 16L), table.get(INT, at + 20L)));
        }
        return found;
    }

    /** Returns the root directory. */
    CatalogDirectory root() {
        return directory(directories - 1L);
    }

    /** Returns a directory by its number. */
    CatalogDirectory directory(long number) {
        if (number < 0 || number >= directories) {
            throw new UncheckedIOException(new IOException("a catalog has no directory " + number));
        }
        long at = rows + (long) versions * VERSION_ROW_BYTES + number * DIRECTORY_ROW_BYTES;
        MemorySegment row = MemorySegment.ofArray(bytes(at, DIRECTORY_ROW_BYTES));
        return new CatalogDirectory(this, row.get(LONG, 0), row.get(INT, 8), row.get(INT, 12));
    }

    /** Reads a range of the file. */
    byte[] bytes(long offset, int length) {
        return bytes(file, offset, length);
    }

    private static byte[] bytes(Fd file, long offset, int length) {
        byte[] bytes = new byte[length];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, length), 8);
            if (file.preadFully(memory, 0, length, offset) < length) {
                throw new UncheckedIOException(new EOFException("a catalog ends before byte " + (offset + length)));
            }
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, bytes, 0, length);
            return bytes;
        } catch (ErrnoException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
