package io.chagres.fuse.loopback;

import io.chagres.linux.PathFd;

/** A file below that the kernel knows. Guarded by {@link LoopbackNodes}, except what never changes. */
final class LoopbackNode {
    /** No backing file. */
    static final int SERVED = 0;

    final long id;

    /** Distinguishes the files that had this number one after another. */
    final long generation;

    final LoopbackIdentity identity;

    /** Keeps the inode number from being given to another file. */
    final PathFd path;

    /** How often the kernel looked it up and did not forget it. */
    long lookups;

    /** How often it is open. */
    int opens;

    /** The file that the kernel reads and writes by itself as long as it is open, or {@link #SERVED}. */
    int backing;

    LoopbackNode(long id, long generation, LoopbackIdentity identity, PathFd path) {
        this.id = id;
        this.generation = generation;
        this.identity = identity;
        this.path = path;
    }
}
