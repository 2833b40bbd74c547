package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.FixedHeader;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Which block of a checkpoint holds what, as {@link TableIndex} lays it out. Immutable. */
final class TableBlocks {
    /** The end of a checkpoint.
     *
     * @param header what it begins with
     * @param lastId the greatest id of a version, 0 for none
     * @param blocks how many there are
     * @param indexBytes size of the index
     * @param indexCrc its CRC32C
     */
    record Footer(FixedHeader header, long lastId, int blocks, int indexBytes, int indexCrc) {
        static Footer decode(String key, byte[] bytes, int kind) throws CorruptArchiveException {
            ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            if (bytes.length != TableIndex.FOOTER_BYTES
                    || in.position(FixedHeader.BYTES).getLong() != TableIndex.MAGIC
                    || in.getInt(TableIndex.FOOTER_BYTES - Integer.BYTES) != crc(bytes, bytes.length - Integer.BYTES)) {
                throw new CorruptArchiveException(key, "it does not end with an index");
            }
            FixedHeader header = FixedHeader.decode(key, MemorySegment.ofArray(bytes), 0, kind);
            Footer footer = new Footer(header, in.getLong(), in.getInt(), in.getInt(), in.getInt());
            if (footer.blocks < 0 || footer.indexBytes < 0) {
                throw damaged(key);
            }
            return footer;
        }
    }

    /** A block, see {@link TableIndex}. The key is not copied. */
    record Block(int crc, int records, int opened, int nameless, byte[] key) {
        int section() {
            return key[0];
        }

        /** Returns the version that the first record of a block of versions is of. */
        long id() {
            return ByteBuffer.wrap(key).getLong(1);
        }

        private long position() {
            return ByteBuffer.wrap(key).getLong(1 + Long.BYTES);
        }

        /** Says whether a row begins with its first record. */
        boolean isOpening() {
            return section() != TableIndex.VERSIONS || position() == 0;
        }

        private boolean isPossible() {
            boolean ofVersions = key.length > 0 && section() == TableIndex.VERSIONS;
            return key.length > 0
                    && section() >= TableIndex.HOST
                    && section() <= TableIndex.NAMES
                    && nameless >= 0
                    && nameless <= opened
                    && opened <= records
                    && (!ofVersions || (key.length == TableIndex.VERSION_KEY_BYTES && id() > 0 && position() >= 0));
        }
    }

    private final List<Block> blocks;

    /** The first block of each section, and the end. */
    private final int[] starts = new int[TableIndex.NAMES + 2];

    private final long versions;
    private final long names;

    private TableBlocks(List<Block> blocks) {
        this.blocks = blocks;
        long opened = 0;
        long named = 0;
        Arrays.fill(starts, blocks.size());
        for (int i = blocks.size() - 1; i >= 0; i--) {
            Block block = blocks.get(i);
            Arrays.fill(starts, 0, block.section() + 1, i);
            opened += block.opened;
            named += block.section() == TableIndex.NAMES ? block.records : 0;
        }
        versions = opened;
        names = named;
    }

    /** Decodes an index; one whose keys do not ascend is damaged. */
    static TableBlocks decode(String key, Footer footer, byte[] index) throws CorruptArchiveException {
        if (crc(index, index.length) != footer.indexCrc
                || (long) footer.blocks * TableIndex.ENTRY_BYTES > index.length) {
            throw damaged(key);
        }
        ByteBuffer in = ByteBuffer.wrap(index).order(ByteOrder.LITTLE_ENDIAN);
        List<Block> blocks = new ArrayList<>(footer.blocks);
        boolean ascend = true;
        byte[] last = {};
        try {
            for (int i = 0; i < footer.blocks; i++) {
                Block block =
                        new Block(in.getInt(), in.getInt(), in.getInt(), in.getInt(), new byte[in.getShort() & 0xffff]);
                in.get(block.key);
                ascend &= block.isPossible();
                int order = Arrays.compareUnsigned(last, block.key);
                ascend &= order < 0 || (order == 0 && block.key.length == 1);
                last = block.key;
                blocks.add(block);
            }
        } catch (BufferUnderflowException e) {
            throw damaged(key);
        }
        if (!ascend || in.hasRemaining()) {
            throw damaged(key);
        }
        TableBlocks decoded = new TableBlocks(blocks);
        if (decoded.versions > Integer.MAX_VALUE || decoded.names > Integer.MAX_VALUE) {
            throw damaged(key);
        }
        return decoded;
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
        return blocks.size();
    }

    Block get(int block) {
        return blocks.get(block);
    }

    /** Returns how many versions there are. */
    int versions() {
        return (int) versions;
    }

    /** Returns how many names there are. */
    int names() {
        return (int) names;
    }

    /** Returns the first block of a section. */
    int start(int section) {
        return starts[section];
    }

    /** Returns the first block behind a section. */
    int end(int section) {
        return starts[section + 1];
    }

    /** Returns the first block from one on, or the end of the section, that begins with a row. */
    int opening(int block, int section) {
        int at = block;
        while (at < end(section) && !blocks.get(at).isOpening()) {
            at++;
        }
        return at;
    }

    /** Returns the block that has a row if one has; -1 if all are behind it. */
    int of(byte[] key) {
        int low = starts[key[0]];
        int high = starts[key[0] + 1] - 1;
        int found = -1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(blocks.get(middle).key, key) <= 0) {
                found = middle;
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return found;
    }
}
