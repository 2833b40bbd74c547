package io.chagres.mount;

import io.chagres.fuse.ReadReply;

/**
 * One request of the kernel for bytes of a version, at least one.
 *
 * @param host whose version
 * @param version which
 * @param start position of the first byte wanted
 * @param end position behind the last
 * @param reply takes the answer
 * @param deadlineMs when it fails if the store has not answered
 */
record PendingRead(HostTree host, long version, long start, long end, ReadReply reply, long deadlineMs) {
    long firstBlock() {
        return start / BlockCache.BLOCK_BYTES;
    }

    long lastBlock() {
        return (end - 1) / BlockCache.BLOCK_BYTES;
    }

    BlockCache.Key key(long block) {
        return new BlockCache.Key(host, version, block);
    }

    /** Returns the offset in a block of the first byte wanted of it. */
    int from(long block) {
        return (int) (Math.max(start, block * BlockCache.BLOCK_BYTES) - block * BlockCache.BLOCK_BYTES);
    }

    /** Returns the offset in a block behind the last byte wanted of it. */
    int to(long block) {
        return (int) Math.min(BlockCache.BLOCK_BYTES, end - block * BlockCache.BLOCK_BYTES);
    }
}
