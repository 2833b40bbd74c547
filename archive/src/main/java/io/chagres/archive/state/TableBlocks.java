package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.RecordWriter;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Which block of a checkpoint holds what, as {@link TableIndex} lays it out. Immutable. */
final class TableBlocks {
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** The end of a checkpoint.
     *
     * @param versions how many there are
     * @param names how many there are
     * @param lastId the greatest id of a version, 0 for none
     * @param blocks how many there are
     * @param indexBytes size of the index
     * @param indexCrc its CRC32C
     */
    record Footer(long versions, long names, long lastId, int blocks, int indexBytes, int indexCrc) {
        static Footer decode(String key, byte[] bytes) throws CorruptArchiveException {
            MemorySegment in = MemorySegment.ofArray(bytes);
            if (bytes.length != TableIndex.FOOTER_BYTES
                    || in.get(LONG, 0) != TableIndex.MAGIC
                    || in.get(INT, 44) != crc(bytes, bytes.length - Integer.BYTES)) {
                throw new CorruptArchiveException(key, "it does not end with an index");
            }
            Footer footer = new Footer(
                    in.get(LONG, 8),
                    in.get(LONG, 16),
                    in.get(LONG, 24),
                    in.get(INT, 32),
                    in.get(INT, 36),
                    in.get(INT, 40));
            boolean possible = footer.versions >= 0
                    && footer.versions <= Integer.MAX_VALUE
                    && footer.names >= 0
                    && footer.names <= Integer.MAX_VALUE
                    && footer.blocks >= 0
                    && footer.indexBytes >= 0;
            if (!possible) {
                throw damaged(key);
            }
            return footer;
        }
    }

    /** The first record of a block of versions, see {@link TableIndex}. */
    record First(long id, long position, int opened, int nameless) {}

    private final int[] crcs;
    private final int[] records;
    private final int versionsStart;
    private final int namesStart;
    private final First[] versions;
    private final Pathname[] names;

    private TableBlocks(
            int[] crcs, int[] records, int versionsStart, int namesStart, List<First> versions, List<Pathname> names) {
        this.crcs = crcs;
        this.records = records;
        this.versionsStart = versionsStart;
        this.namesStart = namesStart;
        this.versions = versions.toArray(new First[0]);
        this.names = names.toArray(new Pathname[0]);
    }

    /** Decodes an index; one whose keys do not ascend is damaged. */
    static TableBlocks decode(String key, Footer footer, byte[] index) throws CorruptArchiveException {
        if (crc(index, index.length) != footer.indexCrc
                || (long) footer.blocks * TableIndex.ENTRY_BYTES > index.length) {
            throw damaged(key);
        }
        MemorySegment in = MemorySegment.ofArray(index);
        int[] crcs = new int[footer.blocks];
        int[] records = new int[footer.blocks];
        int[] starts = new int[TableIndex.NAMES + 2];
        Arrays.fill(starts, footer.blocks);
        List<First> versions = new ArrayList<>();
        List<Pathname> names = new ArrayList<>();
        int section = 0;
        long at = 0;
        try {
            for (int i = 0; i < footer.blocks; i++) {
                crcs[i] = in.get(INT, at);
                int of = in.get(BYTE, at + 4);
                if (of < section || of > TableIndex.NAMES) {
                    throw damaged(key);
                }
                section = of;
                starts[of] = Math.min(starts[of], i);
                records[i] = in.get(INT, at + 5);
                at += TableIndex.ENTRY_BYTES;
                if (of == TableIndex.VERSIONS) {
                    versions.add(new First(
                            in.get(LONG, at), in.get(LONG, at + 8), in.get(INT, at + 16), in.get(INT, at + 20)));
                    at += TableIndex.VERSION_KEY_BYTES;
                } else if (of == TableIndex.NAMES) {
                    int length = in.get(SHORT, at) & 0xffff;
                    names.add(path(key, index, (int) at + 2, length));
                    at += 2 + length;
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw damaged(key);
        }
        TableBlocks blocks =
                new TableBlocks(crcs, records, starts[TableIndex.VERSIONS], starts[TableIndex.NAMES], versions, names);
        if (at != index.length || !blocks.ascend()) {
            throw damaged(key);
        }
        return blocks;
    }

    private static Pathname path(String key, byte[] bytes, int offset, int length) throws CorruptArchiveException {
        if (length < 2 || length > RecordWriter.MAX_PATH_BYTES || offset + length > bytes.length) {
            throw damaged(key);
        }
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == 0) {
                throw damaged(key);
            }
        }
        return Pathname.ofBytes(bytes, offset, length);
    }

    private boolean ascend() {
        boolean ascend = versions.length == 0 || versions[0].id > 0 && versions[0].position == 0;
        for (int i = 1; i < versions.length; i++) {
            ascend &= compare(versions[i - 1], versions[i].id, versions[i].position) < 0 && versions[i].position >= 0;
        }
        for (int i = 1; i < names.length; i++) {
            ascend &= TableIndex.order(names[i - 1], names[i]) < 0;
        }
        return ascend;
    }

    private static int compare(First first, long id, long position) {
        return first.id != id ? Long.compare(first.id, id) : Long.compare(first.position, position);
    }

    private static CorruptArchiveException damaged(String key) {
        return new CorruptArchiveException(key, "its index is damaged");
    }

    static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    int count() {
        return crcs.length;
    }

    int crc(int block) {
        return crcs[block];
    }

    /** Returns the first block that is not of the host. */
    int hostEnd() {
        return Math.min(versionsStart, namesStart);
    }

    int versionsStart() {
        return versionsStart;
    }

    int versionsEnd() {
        return versionsStart + versions.length;
    }

    int namesStart() {
        return namesStart;
    }

    int namesEnd() {
        return namesStart + names.length;
    }

    int records(int block) {
        return records[block];
    }

    /** Returns what a block of versions begins with. */
    First first(int block) {
        return versions[block - versionsStart];
    }

    /** Returns the path that a block of names begins with. */
    Pathname firstName(int block) {
        return names[block - namesStart];
    }

    /** Returns the first block from one on, or the end, that begins with the opening of a version. */
    int opening(int block) {
        int at = block;
        while (at < versionsEnd() && first(at).position > 0) {
            at++;
        }
        return at;
    }

    /** Returns the block that opens a version if one does; -1 if none does. */
    int ofVersion(long id) {
        int low = 0;
        int high = versions.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (compare(versions[middle], id, 0) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? -1 : versionsStart + high;
    }

    /** Returns the block that has a path if one has, see {@link TableIndex#order}; -1 if all are behind it. */
    int ofName(Pathname path) {
        int low = 0;
        int high = names.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (TableIndex.order(names[middle], path) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? -1 : namesStart + high;
    }
}
