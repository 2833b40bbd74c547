package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.DirentWriter;
import java.lang.foreign.MemorySegment;

/**
 * The answer to readdir: as many entries as fit, then {@link #done()}. None at all is the end of the directory.
 *
 * <p>Every entry carries the position to continue from. The kernel gives it back in its next request, so the number
 * must stay right while names come and go.
 */
public final class DirectoryReply extends Reply {
    DirectoryReply(Exchange exchange) {
        super(exchange);
    }

    /** The type is not known, see readdir(3). */
    public static final int DT_UNKNOWN = 0;

    /** A FIFO. */
    public static final int DT_FIFO = 1;

    /** A character device. */
    public static final int DT_CHR = 2;

    /** A directory. */
    public static final int DT_DIR = 4;

    /** A block device. */
    public static final int DT_BLK = 6;

    /** A regular file. */
    public static final int DT_REG = 8;

    /** A symbolic link. */
    public static final int DT_LNK = 10;

    /** A socket. */
    public static final int DT_SOCK = 12;

    private long size;
    private long length;

    DirectoryReply asked(int sizeBytes) {
        size = Math.min(Integer.toUnsignedLong(sizeBytes), exchange.bodyCapacity);
        length = 0;
        return this;
    }

    /**
     * Adds an entry.
     *
     * @param name its bytes, 1 to 255
     * @param ino its number as st_ino, not 0
     * @param type a {@code DT_} constant
     * @param next the position to continue from after this entry, not 0
     * @return false if it does not fit; then nothing was added, and it is time to answer
     */
    public boolean add(byte[] name, long ino, int type, long next) {
        if (!starts(name.length, ino, type, next)) {
            return false;
        }
        exchange.copyToBody(name, length + Abi.DIRENT);
        length += DirentWriter.size(name.length);
        return true;
    }

    /**
     * Adds an entry whose name is in memory.
     *
     * @param memory where the name is, borrowed
     * @param offset where it starts, bytes
     * @param nameLength its length in bytes, 1 to 255
     * @param ino its number as st_ino, not 0
     * @param type a {@code DT_} constant
     * @param next the position to continue from after this entry, not 0
     * @return false if it does not fit; then nothing was added, and it is time to answer
     */
    public boolean add(MemorySegment memory, long offset, int nameLength, long ino, int type, long next) {
        if (!starts(nameLength, ino, type, next)) {
            return false;
        }
        MemorySegment.copy(memory, offset, exchange.body, exchange.bodyAt + length + Abi.DIRENT, nameLength);
        length += DirentWriter.size(nameLength);
        return true;
    }

    /** Answers with the entries added. */
    public void done() {
        exchange.answer(length);
    }

    private boolean starts(int nameLength, long ino, int type, long next) {
        if (length + DirentWriter.size(nameLength) > size) {
            return false;
        }
        DirentWriter.write(exchange.body, exchange.bodyAt + length, nameLength, ino, type, next);
        return true;
    }
}
