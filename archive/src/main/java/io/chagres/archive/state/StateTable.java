package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.TableSection;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.format.RecordColumns;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.linux.Pathname;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint or table whose index finds single rows with few reads, so that a host with a million files is looked at
 * with little of it in memory: the index, and the blocks that were read last. Each block is checked against the index;
 * {@link #check} says whether the index and the whole are right. Safe for any thread.
 */
final class StateTable implements SortedRows {
    /** An index of more is not loaded: such a checkpoint is read as a whole. */
    static final int MAX_INDEX_BYTES = 16 << 20;

    /** How many blocks are kept of a checkpoint. */
    private static final int MAX_BLOCKS = 64;

    /** As many of each table: a host has dozens of tables. */
    private static final int MAX_BLOCKS_OF_TABLE = 8;

    /** How many bytes a reader of everything fetches at once. */
    static final int AHEAD_BYTES = 1 << 20;

    /** Garbage is collected each time this many bytes of records were checked. */
    private static final long FREED_BYTES = 16L << 20;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** A version of fewer extents is made again as fast as it is found, and would only grow old. */
    private static final int MIN_CACHED_EXTENTS = 256;

    private static final int MAX_CACHED_EXTENTS = 100_000;

    private final String key;
    private final TableFrames frames;
    private final TableBlocks.Footer footer;
    private final TableBlocks blocks;
    private final Runnable closing;
    private final boolean areExtents;

    /** The least id of a version. */
    private final long firstId;

    /** The blocks read last; anybody who looks into one holds its lock. */
    private final TableBlockCache cachedBlocks;

    private final Map<Long, FileVersion> cachedVersions = new LinkedHashMap<>(16, 0.75f, true);
    private int cachedExtents;

    /** The bytes of all records, once they were checked. */
    private long recordBytes;

    private StateTable(
            String key,
            TableFrames frames,
            TableBlocks.Footer footer,
            byte[] index,
            @Nullable TableBlockCache cache,
            Runnable closing)
            throws IOException {
        this.key = key;
        this.frames = frames;
        this.footer = footer;
        this.closing = closing;
        blocks = TableBlocks.decode(key, footer, index);
        cachedBlocks = cache == null ? new TableBlockCache(isTable() ? MAX_BLOCKS_OF_TABLE : MAX_BLOCKS) : cache;
        areExtents = isTable() && ArchiveLayout.sectionOf(key) == TableSection.EXTENTS;
        boolean opens = blocks.start(TableIndex.VERSIONS) == blocks.end(TableIndex.VERSIONS)
                || blocks.get(blocks.start(TableIndex.VERSIONS)).isOpening();
        if (opens == areExtents && blocks.count() > 0) {
            throw new CorruptArchiveException(key, "its index is damaged");
        }
        int first = blocks.start(TableIndex.VERSIONS);
        firstId = first == blocks.end(TableIndex.VERSIONS)
                ? Long.MAX_VALUE
                : blocks.get(first).id();
        frames.trim();
    }

    private boolean isTable() {
        return footer.header().kind() == FixedHeader.TABLE;
    }

    /**
     * Opens a checkpoint: one request, or one more for each 256 KiB of its index.
     *
     * @param object reads it; stays the caller's
     * @param maxKeptBytes see {@link TableFrames}
     * @param cache keeps its blocks and those of others; null for one of its own
     * @param closing is done when it is closed
     * @return null if its index is too large to be loaded
     * @throws CorruptArchiveException when it does not end with an index of what it holds
     */
    static @Nullable StateTable open(
            String key,
            FrameTable.Source object,
            long objectBytes,
            int maxKeptBytes,
            @Nullable TableBlockCache cache,
            Runnable closing)
            throws IOException {
        TableFrames frames = new TableFrames(key, object, objectBytes, maxKeptBytes);
        StateTable table = null;
        try {
            int kind = ArchiveLayout.baseOf(key) == null ? FixedHeader.CHECKPOINT : FixedHeader.TABLE;
            TableBlocks.Footer footer = TableBlocks.Footer.decode(key, frames.content(frames.count() - 1, 0), kind);
            int indexFrames = SeekableFrames.framesOf(footer.indexBytes());
            if ((long) footer.blocks() + 2 + indexFrames != frames.count()) {
                throw new CorruptArchiveException(key, "its index is not of its frames");
            }
            if (footer.indexBytes() > MAX_INDEX_BYTES) {
                return null;
            }
            table = new StateTable(key, frames, footer, index(frames, footer), cache, closing);
            return table;
        } finally {
            if (table == null) {
                frames.close();
            }
        }
    }

    /** Opens a checkpoint in a store as above. */
    static @Nullable StateTable open(BlobStore store, String key, int maxKeptBytes) throws IOException {
        long bytes = store.size(key);
        if (bytes < 0) {
            throw new NoSuchBlobException(key);
        }
        return open(store, key, bytes, maxKeptBytes);
    }

    /** Opens a table in a store, whose size is known, as above. */
    static @Nullable StateTable open(BlobStore store, String key, long bytes, int maxKeptBytes) throws IOException {
        return open(key, (offset, to) -> store.get(key, offset, to), bytes, maxKeptBytes, null, () -> {});
    }

    private static byte[] index(TableFrames frames, TableBlocks.Footer footer) throws IOException {
        ByteArrayOutputStream index = new ByteArrayOutputStream(footer.indexBytes());
        for (int frame = footer.blocks() + 1; frame < frames.count() - 1; frame++) {
            index.writeBytes(frames.content(frame, AHEAD_BYTES));
        }
        return index.toByteArray();
    }

    TableBlocks blocks() {
        return blocks;
    }

    TableFrames frames() {
        return frames;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public FixedHeader header() {
        return footer.header();
    }

    @Override
    public List<StateTable> tables() {
        return List.of(this);
    }

    /** Returns how many names there are. */
    int nameCount() {
        return blocks.names();
    }

    @Override
    public long lastId() {
        return footer.lastId();
    }

    /** Says whether most blocks are known to be full: each copy of some may end one before it is. */
    boolean isDense() {
        return recordBytes >= (long) blocks.count() * CheckpointWriter.INDEXED_BLOCK_BYTES / 2;
    }

    /** Returns the key behind all rows of a section. */
    byte[] end(int section) {
        return section == TableIndex.VERSIONS
                ? TableIndex.versionKey(lastId() + 1, 0)
                : new byte[] {(byte) (section + 1)};
    }

    /** Says whether a row begins with the first record of a block. */
    boolean beginsRow(int block) {
        return areExtents || blocks.get(block).isOpening();
    }

    /** Returns the key of a record that begins a row; null for others. */
    byte @Nullable [] keyOf(LogRecord record) {
        return areExtents ? TableIndex.keyOf(record) : TableIndex.rowKey(record);
    }

    @Override
    public List<LogRecord> hostRecords() throws IOException {
        List<LogRecord> records = new ArrayList<>();
        for (int block = 0; block < blocks.end(TableIndex.HOST); block++) {
            RecordReader reader = reader(bytes(block, 0), 0);
            while (reader.hasNext()) {
                LogRecord record = reader.next();
                if (HostRows.holds(record)) {
                    throw new CorruptArchiveException(key, "a name or a version stands among the facts of its host");
                }
                records.add(record);
            }
        }
        return records;
    }

    /**
     * Reads all of it and proves that it is whole, and that the index and the seek table say where everything is.
     *
     * @param freed hears on the way that garbage can be collected
     * @throws CorruptArchiveException when it is not
     */
    void check(Runnable freed) throws IOException {
        byte[] fixed = Arrays.copyOf(frames.content(0, AHEAD_BYTES), FixedHeader.BYTES);
        TableCheck check = new TableCheck(key, header().kind(), fixed);
        long read = 0;
        for (int block = 0; block < blocks.count(); block++) {
            byte[] bytes = bytes(block, AHEAD_BYTES);
            RecordReader reader = reader(bytes, 0);
            while (reader.hasNext()) {
                check.add(reader.next());
            }
            check.endBlock(bytes);
            long before = read;
            read += bytes.length;
            if (before / FREED_BYTES < read / FREED_BYTES) {
                freed.run();
            }
        }
        byte[] end = frames.content(blocks.count(), AHEAD_BYTES);
        int from = start(blocks.count());
        if (end.length != from + Integer.BYTES || MemorySegment.ofArray(end).get(INT, from) != 0) {
            throw new CorruptArchiveException(key, "its blocks do not end");
        }
        byte[] index = index(frames, footer);
        byte[] last = frames.content(frames.count() - 1, 0);
        int[] at = {0};
        check.end(length -> {
            boolean inIndex = at[0] < index.length;
            byte[] next = inIndex ? Arrays.copyOfRange(index, at[0], at[0] + length) : last;
            at[0] += length;
            return next;
        });
        recordBytes = read;
        frames.trim();
    }

    /** Returns where in its frame what is no header begins. */
    private static int start(int frame) {
        return frame == 0 ? FixedHeader.BYTES : 0;
    }

    private byte[] bytes(int block, int ahead) throws IOException {
        return records(block, ahead == 0 ? frames.content(block) : frames.content(block, ahead));
    }

    /** Returns the records of a block, which prove to be those that the index names. */
    byte[] records(int block, byte[] frame) throws CorruptArchiveException {
        int start = start(block) + Integer.BYTES;
        if (frame.length <= start
                || MemorySegment.ofArray(frame).get(INT, start - Integer.BYTES) != frame.length - start) {
            throw new CorruptArchiveException(key, "a frame is not a block");
        }
        byte[] records =
                RecordColumns.decode(key, frame, start, frame.length - start, CheckpointWriter.MAX_BLOCK_BYTES);
        if (TableBlocks.crc(records, records.length) != blocks.get(block).crc()) {
            throw new CorruptArchiveException(key, "the checksum of a block is wrong");
        }
        return records;
    }

    RecordReader reader(byte[] records, int offset) {
        return new RecordReader(key, records, offset, records.length - offset);
    }

    /** Returns a block; with the lock of the cache, until which is given back it stays as it is. */
    private TableBlock block(int number) throws IOException {
        boolean each = areExtents || number >= blocks.start(TableIndex.NAMES);
        return cachedBlocks.block(this, number, block -> block.fill(key, bytes(number, 0), each));
    }

    /** Says whether an id is not outside of those that it has. */
    boolean mayHold(long id) {
        return firstId <= id && id <= footer.lastId();
    }

    @Override
    public boolean holds(long id) {
        synchronized (cachedBlocks) {
            return find(id) != null;
        }
    }

    /** Returns the records from the opening of a version on, or null; with the lock, to be read with it. */
    private @Nullable Walk find(long id) {
        byte[] version = TableIndex.versionKey(id, 0);
        int number = mayHold(id) ? blocks.of(version) : -1;
        if (number < 0) {
            return null;
        }
        try {
            RecordReader records = block(number).find(version);
            return records == null ? null : new Walk(number, records);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public @Nullable FileVersion version(long id, NameTree tree) {
        synchronized (cachedVersions) {
            FileVersion there = cachedVersions.get(id);
            if (there != null) {
                return there;
            }
        }
        FileVersion version;
        synchronized (cachedBlocks) {
            Walk found = find(id);
            version = found == null ? null : found.version(tree);
        }
        return version == null || weight(version) < MIN_CACHED_EXTENTS ? version : cached(version);
    }

    private FileVersion cached(FileVersion version) {
        synchronized (cachedVersions) {
            FileVersion there = cachedVersions.putIfAbsent(version.id(), version);
            if (there != null) {
                return there;
            }
            cachedExtents += weight(version);
            Iterator<FileVersion> eldest = cachedVersions.values().iterator();
            while (cachedVersions.size() > 1 && cachedExtents > MAX_CACHED_EXTENTS) {
                cachedExtents -= weight(eldest.next());
                eldest.remove();
            }
            return version;
        }
    }

    private static int weight(FileVersion version) {
        return version.extents() == null ? 0 : version.extents().size();
    }

    @Override
    public @Nullable FileVersion takeVersion(long id, NameTree tree) {
        FileVersion version = version(id, tree);
        synchronized (cachedVersions) {
            FileVersion there = cachedVersions.remove(id);
            cachedExtents -= there == null ? 0 : weight(there);
        }
        return version;
    }

    /** Visits the versions that have no name; blocks without one are not read. */
    @Override
    public void forEachNameless(NameTree tree, Consumer<FileVersion> visitor) {
        for (int block = blocks.start(TableIndex.VERSIONS); block < blocks.end(TableIndex.VERSIONS); block++) {
            if (blocks.get(block).nameless() > 0) {
                Walk walk = new Walk(block - 1, reader(new byte[0], 0));
                walk.skip();
                for (int i = blocks.get(block).opened(); i > 0; i--) {
                    FileVersion version = walk.version(tree);
                    if (version != null && version.nameCount() == 0) {
                        visitor.accept(version);
                    }
                }
            }
        }
    }

    @Override
    public Iterator<FileVersion> versions(NameTree tree) {
        Walk walk = new Walk(blocks.start(TableIndex.VERSIONS) - 1, reader(new byte[0], 0));
        return new LazyIterator<>() {
            @Override
            protected @Nullable FileVersion following() {
                return walk.version(tree);
            }
        };
    }

    /** Reads the records of versions one after the other. */
    private final class Walk {
        private int block;
        private RecordReader records;
        private LogRecord.@Nullable VersionOpened opened;

        /** Begins with some records, behind which come those of the blocks behind one. */
        Walk(int block, RecordReader records) {
            this.block = block;
            this.records = records;
        }

        /** Leaves out what belongs to a version that was opened before. */
        void skip() {
            try {
                LogRecord record = next();
                while (record != null && !(record instanceof LogRecord.VersionOpened)) {
                    record = next();
                }
                opened = (LogRecord.VersionOpened) record;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private @Nullable LogRecord next() throws IOException {
            while (!records.hasNext()) {
                if (block + 1 >= blocks.end(TableIndex.VERSIONS)) {
                    return null;
                }
                block++;
                records = reader(bytes(block, 0), 0);
            }
            return records.next();
        }

        /** Returns the next version; null after the last. */
        @Nullable
        FileVersion version(NameTree tree) {
            try {
                LogRecord first = opened == null ? next() : opened;
                opened = null;
                if (first == null) {
                    return null;
                }
                if (!(first instanceof LogRecord.VersionOpened of)) {
                    throw new CorruptArchiveException(key, "a version does not begin with its opening");
                }
                FileVersion version = FileVersion.ofTable(of, header().timeMs(), tree);
                for (LogRecord record = next(); record != null; record = next()) {
                    if (record instanceof LogRecord.VersionOpened following) {
                        opened = following;
                        break;
                    }
                    version.take(key, record, header().timeMs());
                }
                return version;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public Iterator<LogRecord.NameAdded> names(Pathname directory) {
        return SortedRows.there(rows(directory));
    }

    /**
     * Returns the rows of all names in a directory in the order of their bytes, with whole paths: those that are there,
     * and in a table those that are not.
     */
    Iterator<LogRecord> rows(Pathname directory) {
        byte[] start = Arrays.copyOf(directory.bytes(), directory.length() + (directory.length() > 1 ? 1 : 0));
        start[start.length - 1] = '/';
        return new NamesOf(Pathname.ofBytes(start));
    }

    /** The names of one directory, those of one block in memory at a time. */
    private final class NamesOf extends LazyIterator<LogRecord> {
        /** What the keys of all of them begin with. */
        private final byte[] from;

        private final Deque<LogRecord> read = new ArrayDeque<>();
        private int block;
        private boolean isFirst = true;

        NamesOf(Pathname directory) {
            from = TableIndex.nameKey(directory);
            int first = blocks.start(TableIndex.NAMES);
            int found = blocks.of(from);
            boolean isBefore = found < 0
                    && first < blocks.count()
                    && !begins(blocks.get(first).key());
            block = isBefore ? blocks.end(TableIndex.NAMES) : Math.max(found, first);
        }

        private boolean begins(byte[] key) {
            return Arrays.mismatch(key, from) == from.length;
        }

        @Override
        protected @Nullable LogRecord following() {
            try {
                while (read.isEmpty() && block < blocks.end(TableIndex.NAMES)) {
                    synchronized (cachedBlocks) {
                        read(block(block++));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return read.poll();
        }

        private void read(TableBlock names) throws CorruptArchiveException {
            for (int i = isFirst ? names.place(from) : 0; i < names.count(); i++) {
                LogRecord name = names.row(i);
                if (Arrays.mismatch(TableIndex.rowKey(name), from) < from.length) {
                    block = blocks.end(TableIndex.NAMES);
                    break;
                }
                read.add(name);
            }
            isFirst = false;
        }
    }

    @Override
    public LogRecord.@Nullable NameAdded name(Pathname path) {
        return row(path) instanceof LogRecord.NameAdded name ? SortedRows.relative(name) : null;
    }

    /** Returns the row of an absolute path: that the name is there, or that it is not; null if there is no row. */
    @Nullable
    LogRecord row(Pathname path) {
        byte[] wanted = TableIndex.nameKey(path);
        int number = blocks.of(wanted);
        if (number < 0) {
            return null;
        }
        try {
            synchronized (cachedBlocks) {
                RecordReader found = block(number).find(wanted);
                return found == null ? null : found.next();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds the extents of a version from a position on, of a table of extents. */
    void extents(long id, long from, List<LogRecord.Extent> to) {
        byte[] wanted = TableIndex.versionKey(id, from + 1);
        int number = Math.max(blocks.of(wanted), blocks.start(TableIndex.VERSIONS));
        try {
            synchronized (cachedBlocks) {
                for (; number < blocks.end(TableIndex.VERSIONS); number++) {
                    TableBlock block = block(number);
                    for (int i = block.place(wanted); i < block.count(); i++) {
                        if (!(block.row(i) instanceof LogRecord.Extent extent) || extent.versionId() != id) {
                            return;
                        }
                        to.add(extent);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        cachedBlocks.forget(this);
        frames.close();
        closing.run();
    }
}
