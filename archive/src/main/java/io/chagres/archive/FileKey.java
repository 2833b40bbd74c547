package io.chagres.archive;

/**
 * Identifies a file as the kernel does, in a form that outlives a reboot. Immutable.
 *
 * @param fsHigh first half of the file system's id
 * @param fsLow second half of the file system's id
 * @param inode inode number
 * @param generation distinguishes files that had one inode number in turn
 */
public record FileKey(long fsHigh, long fsLow, long inode, long generation) {
    /** Returns it as text for other systems: the file system in hexadecimal digits, the inode, the generation. */
    public String text() {
        return "%016x%016x:%d:%d".formatted(fsHigh, fsLow, inode, generation);
    }
}
