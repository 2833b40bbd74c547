package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.DirentWriter;
import java.lang.foreign.MemorySegment;

/**
 * The answer to readdirplus: as many entries with their attributes as fit, then {@link #done()}. None at all is the end
 * of the directory.
 *
 * <p>Every entry with a node counts one lookup of it, like the answer to a lookup, except {@code .} and {@code ..}.
 */
public final class DirectoryPlusReply extends Reply {
    DirectoryPlusReply(Exchange exchange) {
        super(exchange);
    }

    private long size;
    private long length;

    DirectoryPlusReply asked(int sizeBytes) {
        size = Math.min(Integer.toUnsignedLong(sizeBytes), exchange.bodyCapacity);
        length = 0;
        return this;
    }

    /**
     * Returns attributes to fill, so that none need be made.
     *
     * @return cleared; of this request
     */
    public Attributes attributes() {
        return exchange.attributes.clear();
    }

    /**
     * Adds an entry.
     *
     * @param name its bytes, 1 to 255
     * @param node its number; 0 to show the name only, so that the kernel looks it up when it wants to
     * @param attributes its attributes, and how long the kernel may keep them; borrowed
     * @param next the position to continue from after this entry, not 0
     * @return false if it does not fit; then nothing was added, and it is time to answer
     */
    public boolean add(byte[] name, long node, Attributes attributes, long next) {
        if (!starts(name.length, node, attributes, next)) {
            return false;
        }
        exchange.copyToBody(name, length + Abi.DIRENTPLUS);
        length += DirentWriter.sizePlus(name.length);
        return true;
    }

    /**
     * Adds an entry whose name is in memory.
     *
     * @param memory where the name is, borrowed
     * @param offset where it starts, bytes
     * @param nameLength its length in bytes, 1 to 255
     * @param node its number; 0 to show the name only, so that the kernel looks it up when it wants to
     * @param attributes its attributes, and how long the kernel may keep them; borrowed
     * @param next the position to continue from after this entry, not 0
     * @return false if it does not fit; then nothing was added, and it is time to answer
     */
    public boolean add(MemorySegment memory, long offset, int nameLength, long node, Attributes attributes, long next) {
        if (!starts(nameLength, node, attributes, next)) {
            return false;
        }
        MemorySegment.copy(memory, offset, exchange.body, exchange.bodyAt + length + Abi.DIRENTPLUS, nameLength);
        length += DirentWriter.sizePlus(nameLength);
        return true;
    }

    /** Answers with the entries added. */
    public void done() {
        exchange.answer(length);
    }

    private boolean starts(int nameLength, long node, Attributes attributes, long next) {
        if (length + DirentWriter.sizePlus(nameLength) > size) {
            return false;
        }
        long at = exchange.bodyAt + length;
        attributes.writeEntry(exchange.body, at, node);
        long ino = attributes.ino() == 0 ? node : attributes.ino();
        int type = attributes.mode() >>> 12 & 15;
        DirentWriter.write(exchange.body, at + Abi.DIRENTPLUS_DIRENT, nameLength, ino == 0 ? -1 : ino, type, next);
        return true;
    }
}
