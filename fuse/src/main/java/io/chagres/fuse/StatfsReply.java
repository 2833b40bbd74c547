package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import java.lang.foreign.MemorySegment;

/** The answer to statfs ({@code struct fuse_statfs_out}), what df(1) shows. */
public final class StatfsReply extends Reply {
    StatfsReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers how full the file system is.
     *
     * @param blockSize the size of a block, bytes
     * @param blocks how many there are
     * @param freeBlocks how many are free, for everybody
     * @param files how many nodes there can be
     * @param freeFiles how many of them are free
     * @param nameLength the longest name, bytes
     */
    public void statfs(
            int blockSize, long blocks, long freeBlocks, long files, long freeFiles, int nameLength) {
        MemorySegment to = exchange.body;
        long at = exchange.bodyAt;
        for (int i = 0; i < Abi.STATFS_OUT; i += Long.BYTES) {
            Abi.putLong(to, at + i, 0);
        }
        Abi.putLong(to, at + Abi.STATFS_OUT_BLOCKS, blocks);
        Abi.putLong(to, at + Abi.STATFS_OUT_BFREE, freeBlocks);
        Abi.putLong(to, at + Abi.STATFS_OUT_BAVAIL, freeBlocks);
        Abi.putLong(to, at + Abi.STATFS_OUT_FILES, files);
        Abi.putLong(to, at + Abi.STATFS_OUT_FFREE, freeFiles);
        Abi.putInt(to, at + Abi.STATFS_OUT_BSIZE, blockSize);
        Abi.putInt(to, at + Abi.STATFS_OUT_NAMELEN, nameLength);
        Abi.putInt(to, at + Abi.STATFS_OUT_FRSIZE, blockSize);
        exchange.answer(Abi.STATFS_OUT);
    }
}
