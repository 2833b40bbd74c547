package io.chagres.examples;

import io.chagres.linux.PathFd;

/** A file below that the kernel knows. Guarded by {@link PassthroughNodes}, except what never changes. */
final class PassthroughNode {
    /** No backing file. */
    static final int SERVED = 0;

    final long id;
    final Identity identity;

    /** Keeps the inode number from being given to another file. */
    final PathFd path;

    /** How often the kernel looked it up and did not forget it. */
    long lookups;

    /** How often it is open. */
    int opens;

    /** What the kernel reads and writes by itself as long as it is open, or {@link #SERVED}. */
    int backing;

    /**
     * Tells files apart that exist at one time.
     *
     * @param dev the device of the file system
     * @param ino the inode number
     */
    record Identity(long dev, long ino) {}

    PassthroughNode(long id, Identity identity, PathFd path) {
        this.id = id;
        this.identity = identity;
        this.path = path;
    }
}
