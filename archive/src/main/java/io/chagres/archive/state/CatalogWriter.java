package io.chagres.archive.state;

import io.chagres.archive.Attributes;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link CatalogFile} from a checkpoint or a state in one pass. Holds 24 bytes for each version and the names
 * of the directories on the way to the one it is in. Confined to one thread.
 */
final class CatalogWriter implements AutoCloseable {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final int FIRST_ROWS = 1024;
    private static final int ROWS_A_COPY = 4096;
    private static final CheckpointContents EVERYTHING = version -> Objects.requireNonNull(version.extents());
    private static final Pathname NONE = Pathname.of("");
    private static final Pathname DOT = Pathname.of(".");
    private static final Pathname DOT_DOT = Pathname.of("..");
    private static final Attributes OF_VERSION = new Attributes(0, 0, 0, 0);

    private final Fd file;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private final CRC32C crc = new CRC32C();
    private final RecordWriter records = new RecordWriter();
    private final RecordWriter hostRecords = new RecordWriter();
    private final Rows versions = new Rows(CatalogFile.VERSION_ROW_BYTES);
    private final Rows directories = new Rows(CatalogFile.DIRECTORY_ROW_BYTES);
    private final Deque<Open> open = new ArrayDeque<>();
    private long written;
    private int buffered;
    private long lastId;
    private long lastEnd;
    private long names;
    private boolean whole = true;

    private CatalogWriter(Fd file) {
        this.file = file;
        open.push(new Open(Pathname.of("/"), Attributes.DEFAULT_DIRECTORY));
    }

    /** A directory whose names come. */
    private static final class Open {
        private final Pathname path;
        private final Attributes attributes;
        private final RecordWriter entries = new RecordWriter();
        private int[] offsets = new int[8];
        private int count;
        private @Nullable Pathname last;

        private Open(Pathname path, Attributes attributes) {
            this.path = path;
            this.attributes = attributes;
        }

        private void add(LogRecord.NameAdded entry) {
            if (count == offsets.length) {
                offsets = Arrays.copyOf(offsets, 2 * count);
            }
            offsets[count++] = entries.length();
            entries.write(entry);
        }
    }

    /**
     * Writes the catalog of a checkpoint into an empty file, which the catalog then owns.
     *
     * @return null if names do not come in their order: such a checkpoint is to be loaded as a whole
     * @throws CorruptArchiveException when the checkpoint is damaged
     */
    static @Nullable CatalogFile write(CheckpointReader from, Fd file) throws IOException {
        try (CatalogWriter writer = new CatalogWriter(file)) {
            for (LogRecord record = from.next(); record != null; record = from.next()) {
                if (!writer.add(record, from.recordBytes(), from.recordOffset(), from.recordLength())) {
                    return null;
                }
            }
            return new CatalogFile(file, writer.finish(from.header()));
        }
    }

    /**
     * Writes the catalog of a state that keeps all extents into an empty file, which the catalog then owns.
     *
     * @return null if it cannot be laid out
     */
    static @Nullable CatalogFile write(HostState state, Fd file) throws IOException {
        try (CatalogWriter writer = new CatalogWriter(file)) {
            writer.add(state);
            return writer.whole ? new CatalogFile(file, writer.finish(Checkpoint.header(state))) : null;
        }
    }

    private void add(HostState state) throws IOException {
        Checkpoint.host(state, EVERYTHING, this::add);
        CatalogFile below = state.catalog();
        int next = 0;
        for (FileVersion version : state.keptVersions()) {
            if (below != null) {
                int found = below.find(version.id());
                copyVersions(below, next, found < 0 ? -found - 1 : found);
                next = found < 0 ? -found - 1 : found + 1;
            }
            Checkpoint.version(version, EVERYTHING, this::add);
        }
        if (below != null) {
            copyVersions(below, next, below.versionCount());
        }
        for (NameTree.Entry entry : state.names()) {
            whole &= name(entry);
        }
    }

    private void add(LogRecord record) throws IOException {
        records.reset();
        records.write(record);
        whole &= add(record, records.array(), 0, records.length());
    }

    /** Takes versions over from another catalog as they are there, in their places from one up to another. */
    private void copyVersions(CatalogFile from, int first, int end) throws ErrnoException {
        for (int at = first; at < end; ) {
            List<CatalogFile.Row> rows = from.rows(at, Math.min(ROWS_A_COPY, end - at));
            at += rows.size();
            long start = rows.getFirst().offset();
            long length = rows.getLast().offset() + rows.getLast().length() - start;
            for (CatalogFile.Row row : rows) {
                row(row.id(), position() + row.offset() - start, row.length());
            }
            for (long copied = 0; copied < length; ) {
                int part = (int) Math.min(BUFFER_BYTES, length - copied);
                put(from.bytes(start + copied, part), 0, part);
                copied += part;
            }
        }
    }

    private void row(long id, long offset, int length) {
        MemorySegment row = versions.add();
        row.set(LONG, 0, id);
        row.set(LONG, 8, offset);
        row.set(INT, 16, length);
        row.set(INT, 20, 0);
    }

    private boolean add(LogRecord record, byte[] bytes, int offset, int length) throws IOException {
        return switch (record) {
            case LogRecord.VersionOpened opened -> {
                boolean ascending = opened.versionId() > lastId && names == 0;
                lastId = opened.versionId();
                lastEnd = opened.startPosition();
                row(lastId, position(), 0);
                yield ascending && ofVersion(lastId, bytes, offset, length);
            }
            case LogRecord.Extent extent -> {
                boolean follows = extent.start() == lastEnd;
                lastEnd = extent.end();
                yield follows && ofVersion(extent.versionId(), bytes, offset, length);
            }
            case LogRecord.VersionClosed closed -> ofVersion(closed.versionId(), bytes, offset, length);
            case LogRecord.AttributesChanged changed -> ofVersion(changed.versionId(), bytes, offset, length);
            case LogRecord.VersionTimes times -> ofVersion(times.versionId(), bytes, offset, length);
            case LogRecord.VersionRetention retention -> ofVersion(retention.versionId(), bytes, offset, length);
            case LogRecord.NameAdded name -> name(name);
            case LogRecord.Derived derived -> true; // only who compacts and restores needs to know
            case LogRecord.IncarnationOpened opened -> ofHost(opened);
            case LogRecord.IncarnationClosed closed -> ofHost(closed);
            case LogRecord.Recipients recipients -> ofHost(recipients);
            case LogRecord.Retention retention -> ofHost(retention);
            default -> false;
        };
    }

    private boolean ofHost(LogRecord record) {
        hostRecords.write(record);
        return true;
    }

    /** Adds a record to those of the version opened last. */
    private boolean ofVersion(long id, byte[] bytes, int offset, int length) throws ErrnoException {
        if (id != lastId || versions.count == 0) {
            return false;
        }
        put(bytes, offset, length);
        MemorySegment row = versions.row(versions.count - 1);
        row.set(INT, 16, row.get(INT, 16) + length);
        return true;
    }

    private boolean name(LogRecord.NameAdded added) throws ErrnoException {
        return name(added.path(), added.kind(), added.versionId(), added.target(), added.attributes());
    }

    private boolean name(NameTree.Entry entry) throws ErrnoException {
        Attributes attributes = entry.kind() == LogRecord.Kind.FILE ? OF_VERSION : entry.attributes();
        return name(entry.path(), entry.kind(), entry.versionId(), entry.target(), attributes);
    }

    private boolean name(Pathname path, LogRecord.Kind kind, long id, Pathname target, Attributes attributes)
            throws ErrnoException {
        Pathname parent = path.parent();
        if (parent == null) {
            return false;
        }
        while (!open.element().path.equals(parent)) {
            if (open.size() == 1) {
                return false;
            }
            close(open.pop());
        }
        Open in = open.element();
        Pathname name = path.name();
        int above = parent.length() == 1 ? 0 : parent.length();
        boolean isName = path.length() == above + 1 + name.length() && !name.equals(DOT) && !name.equals(DOT_DOT);
        if (!isName || in.last != null && in.last.compareTo(name) >= 0) {
            return false;
        }
        in.last = name;
        names++;
        switch (kind) {
            case DIRECTORY -> open.push(new Open(path, attributes));
            case SYMLINK -> in.add(new LogRecord.NameAdded(name, kind, 0, target, attributes));
            case FILE -> {
                int version = versions.find(id);
                if (version < 0) {
                    return false;
                }
                MemorySegment row = versions.row(version);
                row.set(INT, 20, row.get(INT, 20) + 1);
                in.add(new LogRecord.NameAdded(name, kind, id, NONE, OF_VERSION));
            }
        }
        return true;
    }

    /** Writes a directory that is complete, and its name into the one it is in. */
    private void close(Open directory) throws ErrnoException {
        int table = directory.count * Integer.BYTES;
        MemorySegment row = directories.add();
        row.set(LONG, 0, position());
        row.set(INT, 8, directory.count);
        row.set(INT, 12, table + directory.entries.length());
        byte[] offsets = new byte[table];
        MemorySegment target = MemorySegment.ofArray(offsets);
        for (int i = 0; i < directory.count; i++) {
            target.set(INT, (long) i * Integer.BYTES, table + directory.offsets[i]);
        }
        put(offsets, 0, table);
        put(directory.entries.array(), 0, directory.entries.length());
        if (!open.isEmpty()) {
            open.element()
                    .add(new LogRecord.NameAdded(
                            directory.path.name(),
                            LogRecord.Kind.DIRECTORY,
                            directories.count - 1L,
                            NONE,
                            directory.attributes));
        }
    }

    private byte[] finish(FixedHeader header) throws ErrnoException {
        while (!open.isEmpty()) {
            close(open.pop());
        }
        byte[] footer = new byte[CatalogFile.FOOTER_BYTES];
        MemorySegment end = MemorySegment.ofArray(footer);
        header.encode(end, 0);
        end.set(LONG, CatalogFile.TOTALS, position());
        put(hostRecords.array(), 0, hostRecords.length());
        end.set(LONG, CatalogFile.TOTALS + 8L, position());
        versions.writeTo(this);
        directories.writeTo(this);
        end.set(LONG, CatalogFile.TOTALS + 16L, versions.count);
        end.set(LONG, CatalogFile.TOTALS + 24L, directories.count);
        end.set(LONG, CatalogFile.TOTALS + 32L, names);
        end.set(LONG, CatalogFile.END, CatalogFile.MAGIC);
        put(footer, 0, footer.length - 8);
        flush();
        end.set(INT, CatalogFile.END + 8L, (int) crc.getValue());
        put(footer, footer.length - 8, 8);
        flush();
        return footer;
    }

    private long position() {
        return written + buffered;
    }

    private void put(byte[] bytes, int offset, int length) throws ErrnoException {
        put(MemorySegment.ofArray(bytes).asSlice(offset, length));
    }

    private void put(MemorySegment bytes) throws ErrnoException {
        for (long at = 0; at < bytes.byteSize(); ) {
            long part = Math.min(bytes.byteSize() - at, BUFFER_BYTES - buffered);
            MemorySegment.copy(bytes, at, buffer, buffered, part);
            buffered += (int) part;
            at += part;
            if (buffered == BUFFER_BYTES) {
                flush();
            }
        }
    }

    private void flush() throws ErrnoException {
        crc.update(buffer.asSlice(0, buffered).asByteBuffer());
        file.writeFully(buffer, 0, buffered);
        written += buffered;
        buffered = 0;
    }

    @Override
    public void close() {
        versions.close();
        directories.close();
        arena.close();
    }

    /** A table that grows, outside the heap: it is needed once and given back. */
    private static final class Rows implements AutoCloseable {
        private final int rowBytes;
        private Arena arena = Arena.ofConfined();
        private MemorySegment memory;
        private int count;

        private Rows(int rowBytes) {
            this.rowBytes = rowBytes;
            memory = arena.allocate((long) FIRST_ROWS * rowBytes, 8);
        }

        private MemorySegment add() {
            if ((long) (count + 1) * rowBytes > memory.byteSize()) {
                Arena larger = Arena.ofConfined();
                memory = larger.allocate(2 * memory.byteSize(), 8).copyFrom(memory);
                arena.close();
                arena = larger;
            }
            return row(count++);
        }

        private MemorySegment row(int index) {
            return memory.asSlice((long) index * rowBytes, rowBytes);
        }

        /** Returns the row that begins with an id, or -1. */
        private int find(long id) {
            int low = 0;
            int high = count - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                long there = memory.get(LONG, (long) middle * rowBytes);
                if (there == id) {
                    return middle;
                }
                if (there < id) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return -1;
        }

        private void writeTo(CatalogWriter writer) throws ErrnoException {
            writer.put(memory.asSlice(0, (long) count * rowBytes));
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
