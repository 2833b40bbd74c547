package io.chagres.fuse.loopback;

import org.jspecify.annotations.Nullable;

/** Distinguishes files that exist at the same time. Must not change while it is in a map. */
final class LoopbackIdentity {
    private long dev;
    private long ino;

    /**
     * Becomes the identity of a file.
     *
     * @param device of the file system
     * @param inode number of the inode
     */
    LoopbackIdentity set(long device, long inode) {
        dev = device;
        ino = inode;
        return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LoopbackIdentity identity && identity.dev == dev && identity.ino == ino;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(ino * 31 + dev);
    }
}
