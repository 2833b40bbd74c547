package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Makes the index of a checkpoint from its records, block by block, for its writer and its checker; and refuses
 * records that are not in their order: of the host, of versions by their ids, of compressed copies, of names by the
 * directory they are in and then by their bytes. Confined to one thread. Little endian:
 *
 * <pre>
 * for each block:
 *   u32 CRC32C of its records
 *   u8 section                   0 host, 1 versions, 2 compressed copies, 3 names
 *   u32 records in the block
 *   of versions: u64 id of the first record's version, u64 0 if that is its opening, else 1 + the start of the extent
 *                it is, u32 versions opened in the block, u32 those of them that have no name
 *   of names: u16 bytes of the first path, the path
 * footer, a frame of its own:
 *   u64 "chagtabl", u64 versions, u64 names, u64 greatest version id
 *   u32 blocks, u32 bytes of the index, u32 CRC32C of the index, u32 CRC32C of the footer so far
 * </pre>
 */
final class TableIndex {
    static final int HOST = 0;
    static final int VERSIONS = 1;
    static final int COPIES = 2;
    static final int NAMES = 3;

    static final int FOOTER_BYTES = 48;
    static final long MAGIC = 0x6c62617467616863L;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int FIRST_BYTES = 1024;
    static final int ENTRY_BYTES = 9;
    static final int VERSION_KEY_BYTES = 24;
    private static final int RECORDS = 5;
    private static final int OPENED = 25;
    private static final int NAMELESS = 29;
    private static final int MAX_NAMES = Integer.MAX_VALUE;

    private final boolean isLocal;
    private final CRC32C crc = new CRC32C();
    private byte[] entries = new byte[FIRST_BYTES];
    private MemorySegment target = MemorySegment.ofArray(entries);

    /** Where the entry of the block begins that records are added to, and where it ends. */
    private int entry;

    private int length;
    private int blocks;
    private boolean isOpen;
    private int section = HOST;
    private long versions;
    private long names;
    private long lastId;
    private long lastEnd;
    private @Nullable Pathname lastName;

    /**
     * Begins one of nothing.
     *
     * @param isLocal whether lengths may stand behind extents: in no store
     */
    TableIndex(boolean isLocal) {
        this.isLocal = isLocal;
    }

    /** Says whether a block ends before a record: another section begins, or it is full and the record may be first. */
    boolean endsBefore(LogRecord record, boolean full) {
        int of = sectionOf(record);
        boolean mayBeFirst = of != VERSIONS || record instanceof LogRecord.Extent || opens(record);
        return isOpen && (of != section || full && mayBeFirst);
    }

    private static boolean opens(LogRecord record) {
        return record instanceof LogRecord.VersionOpened;
    }

    private static int sectionOf(LogRecord record) {
        return switch (record) {
            case LogRecord.NameAdded r -> NAMES;
            case LogRecord.Derived r -> COPIES;
            case LogRecord.IncarnationOpened r -> HOST;
            case LogRecord.IncarnationClosed r -> HOST;
            case LogRecord.Recipients r -> HOST;
            case LogRecord.Retention r -> HOST;
            default -> VERSIONS;
        };
    }

    /** Takes the next record; false if it is not in its order. */
    boolean add(LogRecord record) {
        int of = sectionOf(record);
        boolean fits =
                switch (record) {
                    case LogRecord.VersionOpened r -> opened(r);
                    case LogRecord.Extent r -> isOpen(r.versionId()) && extended(r);
                    case LogRecord.VersionNames r -> isOpen(r.versionId()) && r.names() != 1 && r.names() <= MAX_NAMES;
                    case LogRecord.VersionLength r -> isLocal && isOpen(r.versionId());
                    case LogRecord.VersionClosed r -> isOpen(r.versionId());
                    case LogRecord.AttributesChanged r -> isOpen(r.versionId());
                    case LogRecord.VersionTimes r -> isOpen(r.versionId());
                    case LogRecord.VersionRetention r -> isOpen(r.versionId());
                    case LogRecord.NameAdded r -> named(r);
                    default -> of != VERSIONS;
                };
        boolean inPlace = isOpen ? of == section : of >= section;
        if (!fits || !inPlace || !isOpen && !begin(of, record)) {
            return false;
        }
        count(RECORDS);
        if (opens(record)) {
            count(OPENED);
        } else if (record instanceof LogRecord.VersionNames r && r.names() == 0) {
            count(NAMELESS);
        }
        return true;
    }

    private void count(int field) {
        target.set(INT, entry + field, target.get(INT, entry + field) + 1);
    }

    /** Takes a block of versions of another index. No version before it continues in it, and none of it in the next. */
    void copy(TableBlocks.First first, int records, int blockCrc, long last) {
        beginEntry(VERSIONS);
        key(first.id(), first.position(), first.opened(), first.nameless());
        target.set(INT, entry, blockCrc);
        target.set(INT, entry + RECORDS, records);
        versions += first.opened();
        lastId = last;
        blocks++;
        isOpen = false;
    }

    /** Takes a block of names of another index, which are all behind those that were added. */
    void copyNames(Pathname first, int records, int blockCrc) {
        beginEntry(NAMES);
        path(first);
        target.set(INT, entry, blockCrc);
        target.set(INT, entry + RECORDS, records);
        names += records;
        lastName = first;
        blocks++;
        isOpen = false;
    }

    private boolean isOpen(long id) {
        return versions > 0 && id == lastId;
    }

    private boolean opened(LogRecord.VersionOpened opened) {
        boolean follows = opened.versionId() > lastId;
        versions++;
        lastId = opened.versionId();
        lastEnd = opened.startPosition();
        return follows;
    }

    private boolean extended(LogRecord.Extent extent) {
        boolean follows = extent.start() == lastEnd;
        lastEnd = extent.end();
        return follows;
    }

    private boolean named(LogRecord.NameAdded added) {
        Pathname path = added.path();
        boolean follows = lastName == null || order(lastName, path) < 0;
        names++;
        lastName = path;
        return follows && path.length() > 1 && NameTree.isName(path) && NameTree.isOfItsKind(added);
    }

    /** Begins the entry of a block; false if the record cannot be its first. */
    private boolean begin(int of, LogRecord first) {
        beginEntry(of);
        if (first instanceof LogRecord.NameAdded added) {
            path(added.path());
        } else if (of == VERSIONS) {
            key(lastId, first instanceof LogRecord.Extent extent ? extent.start() + 1 : 0, 0, 0);
            return opens(first) || first instanceof LogRecord.Extent;
        }
        return true;
    }

    private void path(Pathname path) {
        require(Short.BYTES + path.length());
        target.set(SHORT, length, (short) path.length());
        path.copyTo(target, length + 2L);
        length += Short.BYTES + path.length();
    }

    private void beginEntry(int of) {
        isOpen = true;
        section = of;
        entry = length;
        require(ENTRY_BYTES + VERSION_KEY_BYTES);
        target.set(INT, entry + RECORDS, 0);
        entries[entry + Integer.BYTES] = (byte) of;
        length += ENTRY_BYTES;
    }

    private void key(long id, long position, int opened, int nameless) {
        target.set(LONG, length, id);
        target.set(LONG, length + 8L, position);
        target.set(INT, length + 16L, opened);
        target.set(INT, length + 20L, nameless);
        length += VERSION_KEY_BYTES;
    }

    private void require(int more) {
        if (length + more > entries.length) {
            entries = Arrays.copyOf(entries, Math.max(length + more, 2 * entries.length));
            target = MemorySegment.ofArray(entries);
        }
    }

    /** Ends a block; {@link #add} was called for each of its records. */
    void endBlock(byte[] block, int blockBytes) {
        crc.reset();
        crc.update(block, 0, blockBytes);
        target.set(INT, entry, (int) crc.getValue());
        blocks++;
        isOpen = false;
    }

    /** Returns the array whose first {@link #length} bytes are the index so far; not a copy. */
    byte[] array() {
        return entries;
    }

    int length() {
        return length;
    }

    /** Returns what ends an object whose blocks were all added. */
    byte[] footer() {
        byte[] bytes = new byte[FOOTER_BYTES];
        MemorySegment footer = MemorySegment.ofArray(bytes);
        footer.set(LONG, 0, MAGIC);
        footer.set(LONG, 8, versions);
        footer.set(LONG, 16, names);
        footer.set(LONG, 24, lastId);
        footer.set(INT, 32, blocks);
        footer.set(INT, 36, length);
        crc.reset();
        crc.update(entries, 0, length);
        footer.set(INT, 40, (int) crc.getValue());
        crc.reset();
        crc.update(bytes, 0, FOOTER_BYTES - Integer.BYTES);
        footer.set(INT, 44, (int) crc.getValue());
        return bytes;
    }

    /**
     * Compares two names as a checkpoint has them: by the directory they are in, a directory before what is below it,
     * and then by their bytes. A path that ends with a slash stands before all that is in the directory.
     */
    static int order(Pathname one, Pathname other) {
        int at = one.mismatch(other);
        if (at < 0) {
            return 0;
        }
        int above = directoryBytes(one);
        int otherAbove = directoryBytes(other);
        if (at < Math.min(above, otherAbove)) {
            return Integer.compare(inOrder(one.byteAt(at)), inOrder(other.byteAt(at)));
        }
        if (above != otherAbove) {
            return Integer.compare(above, otherAbove);
        }
        return at < Math.min(one.length(), other.length())
                ? Byte.compareUnsigned(one.byteAt(at), other.byteAt(at))
                : Integer.compare(one.length(), other.length());
    }

    /** Returns how many bytes stand before the last slash. */
    static int directoryBytes(Pathname path) {
        int at = path.length() - 1;
        while (at > 0 && path.byteAt(at) != '/') {
            at--;
        }
        return at;
    }

    private static int inOrder(byte of) {
        return of == '/' ? 0 : of & 0xff;
    }
}
