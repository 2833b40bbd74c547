package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Checks that the index of a checkpoint says what is in its blocks, that records are in their order, and that each
 * version has as many names as it says. For the names it sums random numbers that stand for versions, which nobody can
 * foresee. Confined to one thread.
 */
final class TableCheck {
    private static final int PART_BYTES = 64 * 1024;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String key;
    private final byte[] fixed;
    private final TableIndex index;
    private final boolean hasAllNames;
    private final long seed = RANDOM.nextLong();

    /** How many names versions say they have, less those that there are, each times what stands for the version. */
    private long missing;

    /**
     * Begins to check an object.
     *
     * @param fixed the fixed header that it begins with
     */
    TableCheck(String key, int kind, byte[] fixed) {
        this.key = key;
        this.fixed = fixed;
        index = new TableIndex(kind, false);
        hasAllNames = kind == FixedHeader.CHECKPOINT;
    }

    /** Returns the next bytes of what a checkpoint holds. */
    @FunctionalInterface
    interface Bytes {
        byte[] next(int length) throws IOException;
    }

    /** Takes the next record. */
    void add(LogRecord record) throws CorruptArchiveException {
        if (!index.add(record)) {
            throw new CorruptArchiveException(key, "its records are not in their order");
        }
        switch (record) {
            case LogRecord.VersionOpened opened -> missing += numberOf(opened.versionId());
            case LogRecord.VersionNames told -> missing += (told.names() - 1) * numberOf(told.versionId());
            case LogRecord.NameAdded added
            when added.kind() == LogRecord.Kind.FILE -> missing -= numberOf(added.versionId());
            default -> {}
        }
    }

    /** Returns an odd number that looks random (the end of SplitMix64). */
    private long numberOf(long id) {
        long mixed = (id + seed) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return (mixed ^ mixed >>> 31) | 1;
    }

    /** Ends a block. */
    void endBlock(byte[] block) {
        index.endBlock(block, block.length);
    }

    /** Ends the blocks: compares the index, and what follows it. */
    void end(Bytes stored) throws IOException {
        if (hasAllNames && missing != 0) {
            throw new CorruptArchiveException(key, "its versions have not as many names as they say");
        }
        byte[] bytes = index.bytes();
        boolean same = true;
        for (int at = 0; at < bytes.length; at += PART_BYTES) {
            int part = Math.min(PART_BYTES, bytes.length - at);
            same &= Arrays.equals(bytes, at, at + part, stored.next(part), 0, part);
        }
        if (!same || !Arrays.equals(index.footer(fixed), stored.next(TableIndex.FOOTER_BYTES))) {
            throw new CorruptArchiveException(key, "its index does not say what is in its blocks");
        }
    }
}
