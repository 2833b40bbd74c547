package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.linux.Pathname;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes the index of a checkpoint from its records, block by block, for its writer and its checker; and refuses
 * records that are not in the order of their keys: of the host, of versions by their ids, of names by the directory
 * they are in and then by their bytes. Confined to one thread. Little endian, but for keys:
 *
 * <pre>
 * for each block:
 *   u32 CRC32C of its records, u32 records, u32 versions opened in it, u32 those of them that have no name
 *   u16 bytes of the key of its first record, the key: its bytes are in the order of what they stand for
 *     u8 section                 0 host, 1 versions, 2 names
 *     of versions: u64 id, u64 0 of an opening, else 1 + the start of an extent; both with the greatest byte first
 *     of names: the path, with 0 for each slash, and another 0 behind the last of them
 * footer, a frame of its own:
 *   128 B fixed header, as at the beginning
 *   u64 "chagtabl", u64 greatest version id
 *   u32 blocks, u32 bytes of the index, u32 CRC32C of the index, u32 CRC32C of the footer so far
 * </pre>
 */
final class TableIndex {
    static final int HOST = 0;
    static final int VERSIONS = 1;
    static final int NAMES = 2;

    static final int FOOTER_BYTES = FixedHeader.BYTES + 32;
    static final long MAGIC = 0x6c62617467616863L;
    static final int ENTRY_BYTES = 18;
    static final int VERSION_KEY_BYTES = 17;
    private static final int MAX_NAMES = Integer.MAX_VALUE;
    private static final byte[] FIRST = {};

    private final boolean isTable;

    /** Whether lengths may stand behind the extents of a version, and names that are not there beside others. */
    private final boolean isPartial;

    private final ByteArrayOutputStream entries = new ByteArrayOutputStream();
    private int blocks;

    /** Whether there is a block that records are added to; the following are of it. */
    private boolean isOpen;

    private int section = HOST;
    private int records;
    private int opened;
    private int nameless;
    private byte[] key = FIRST;

    /** The last version, 0 for none, and where its last extent ended. */
    private long lastId;

    private long lastEnd;
    private byte[] lastName = FIRST;

    /**
     * Begins one of nothing.
     *
     * @param kind of the object, as in its fixed header
     * @param isLocal whether it stays here: then it may have what else tables have
     */
    TableIndex(int kind, boolean isLocal) {
        isTable = kind == FixedHeader.TABLE;
        isPartial = isTable || isLocal;
    }

    /** Says whether objects of a kind have an index. */
    static boolean isOf(int kind) {
        return kind == FixedHeader.CHECKPOINT || kind == FixedHeader.TABLE;
    }

    /** Returns the version that a record of a row is of; 0 for one that is of none. */
    static long versionOf(LogRecord record) {
        return switch (record) {
            case LogRecord.VersionOpened r -> r.versionId();
            case LogRecord.VersionNames r -> r.versionId();
            case LogRecord.Extent r -> r.versionId();
            case LogRecord.VersionLength r -> r.versionId();
            case LogRecord.VersionClosed r -> r.versionId();
            case LogRecord.AttributesChanged r -> r.versionId();
            case LogRecord.VersionTimes r -> r.versionId();
            case LogRecord.VersionRetention r -> r.versionId();
            case LogRecord.Derived r -> r.fromVersion();
            default -> 0;
        };
    }

    /** Returns the key of a version's opening, or of one of its extents. */
    static byte[] versionKey(long id, long position) {
        return ByteBuffer.allocate(VERSION_KEY_BYTES)
                .put((byte) VERSIONS)
                .putLong(id)
                .putLong(position)
                .array();
    }

    /** Returns the key of a name; of a path that ends with a slash the first bytes of all keys in that directory. */
    static byte[] nameKey(Pathname path) {
        byte[] key = new byte[path.length() + 2];
        key[0] = NAMES;
        int at = 1;
        int last = path.length() - 1;
        while (last > 0 && path.byteAt(last) != '/') {
            last--;
        }
        for (int i = 0; i < path.length(); i++) {
            key[at++] = path.byteAt(i) == '/' ? 0 : path.byteAt(i);
            at += i == last ? 1 : 0;
        }
        return key;
    }

    /** Returns the path of a name's key. */
    static Pathname pathOf(byte[] nameKey) {
        byte[] path = new byte[nameKey.length - 2];
        int at = path.length;
        boolean isLast = true;
        for (int i = nameKey.length - 1; i > 0; i--) {
            path[--at] = nameKey[i] == 0 ? (byte) '/' : nameKey[i];
            i -= isLast && nameKey[i] == 0 ? 1 : 0; // of two zeros one is its slash
            isLast &= path[at] != '/';
        }
        return Pathname.ofBytes(path);
    }

    /** Returns the key of a record that begins a row: the opening of a version, or a name; null for others. */
    static byte @Nullable [] rowKey(LogRecord record) {
        return switch (record) {
            case LogRecord.VersionOpened r -> versionKey(r.versionId(), 0);
            case LogRecord.NameAdded r -> nameKey(r.path());
            case LogRecord.NameRemoved r -> nameKey(r.path());
            default -> null;
        };
    }

    /** Returns the key of a record that has one: of the first of a row, or of an extent; null for others. */
    static byte @Nullable [] keyOf(LogRecord record) {
        return record instanceof LogRecord.Extent r ? versionKey(r.versionId(), r.start() + 1) : rowKey(record);
    }

    /** Says whether a block ends before a record: another section begins, or it is full and the record may be first. */
    boolean endsBefore(LogRecord record, boolean full) {
        int of = sectionOf(record);
        return isOpen && (of != section || (full && mayBeFirst(record)));
    }

    private static boolean mayBeFirst(LogRecord record) {
        return record instanceof LogRecord.VersionOpened
                || record instanceof LogRecord.Extent
                || sectionOf(record) != VERSIONS;
    }

    static int sectionOf(LogRecord record) {
        return switch (record) {
            case LogRecord.NameAdded r -> NAMES;
            case LogRecord.NameRemoved r -> NAMES;
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
                    case LogRecord.Extent r -> follows(r) && extended(r);
                    case LogRecord.VersionNames r -> isOpen(r.versionId()) && r.names() != 1 && r.names() <= MAX_NAMES;
                    case LogRecord.VersionLength r -> isPartial && isOpen(r.versionId());
                    case LogRecord.VersionClosed r -> isOpen(r.versionId());
                    case LogRecord.AttributesChanged r -> isOpen(r.versionId());
                    case LogRecord.VersionTimes r -> isOpen(r.versionId());
                    case LogRecord.VersionRetention r -> isOpen(r.versionId());
                    case LogRecord.Derived r -> isOpen(r.fromVersion());
                    case LogRecord.NameAdded r -> named(r.path()) && r.isOfItsKind();
                    case LogRecord.NameRemoved r -> isPartial && named(r.path());
                    default -> of != VERSIONS;
                };
        boolean inPlace = isOpen ? of == section : of >= section && mayBeFirst(record);
        if (!isOpen) {
            begin(of, record);
        }
        records++;
        opened += record instanceof LogRecord.VersionOpened ? 1 : 0;
        nameless += record instanceof LogRecord.VersionNames r && r.names() == 0 ? 1 : 0;
        return fits && inPlace;
    }

    private void begin(int of, LogRecord first) {
        isOpen = true;
        section = of;
        records = 0;
        opened = 0;
        nameless = 0;
        key = switch (of) {
            case VERSIONS -> versionKey(lastId, first instanceof LogRecord.Extent extent ? extent.start() + 1 : 0);
            case NAMES -> lastName;
            default -> new byte[] {(byte) of};
        };
    }

    /**
     * Takes a block of another index, which is behind all that was added. No version before it continues in it, and
     * none of it in the next.
     *
     * @param last the last version that is known to be in it or before it
     */
    void copy(TableBlocks.Block block, long last) {
        section = block.section();
        lastId = Math.max(lastId, last);
        lastName = section == NAMES ? block.key() : lastName;
        end(block);
    }

    private boolean isOpen(long id) {
        return lastId > 0 && id == lastId;
    }

    private boolean opened(LogRecord.VersionOpened of) {
        boolean follows = of.versionId() > lastId;
        lastId = of.versionId();
        lastEnd = of.startPosition();
        return follows;
    }

    /** Says whether an extent is of the version that is open; a table may begin with it. */
    private boolean follows(LogRecord.Extent extent) {
        boolean begins = isTable && extent.versionId() > lastId;
        lastId = begins ? extent.versionId() : lastId;
        lastEnd = begins ? extent.start() : lastEnd;
        return isOpen(extent.versionId());
    }

    private boolean extended(LogRecord.Extent extent) {
        boolean follows = extent.start() == lastEnd;
        lastEnd = extent.end();
        return follows;
    }

    private boolean named(Pathname path) {
        byte[] name = nameKey(path);
        boolean follows = Arrays.compareUnsigned(lastName, name) < 0;
        lastName = name;
        return follows && path.length() > 1 && LogRecord.isName(path);
    }

    /** Ends a block; {@link #add} was called for each of its records. */
    void endBlock(byte[] block, int blockBytes) {
        end(new TableBlocks.Block(TableBlocks.crc(block, blockBytes), records, opened, nameless, key));
    }

    private void end(TableBlocks.Block block) {
        entries.writeBytes(ByteBuffer.allocate(ENTRY_BYTES + block.key().length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(block.crc())
                .putInt(block.records())
                .putInt(block.opened())
                .putInt(block.nameless())
                .putShort((short) block.key().length)
                .put(block.key())
                .array());
        blocks++;
        isOpen = false;
    }

    /** Returns the index of the blocks that were ended. */
    byte[] bytes() {
        return entries.toByteArray();
    }

    /**
     * Returns what ends an object whose blocks were all added.
     *
     * @param fixed its fixed header as it is stored
     */
    byte[] footer(byte[] fixed) {
        byte[] index = bytes();
        byte[] footer = new byte[FOOTER_BYTES];
        ByteBuffer out = ByteBuffer.wrap(footer).order(ByteOrder.LITTLE_ENDIAN);
        out.put(fixed).putLong(MAGIC).putLong(lastId).putInt(blocks).putInt(index.length);
        out.putInt(TableBlocks.crc(index, index.length));
        out.putInt(TableBlocks.crc(footer, FOOTER_BYTES - Integer.BYTES));
        return footer;
    }
}
