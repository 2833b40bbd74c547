package io.chagres.watch;

/**
 * Tells files apart for as long as their file system exists: across renames, remounts and reboots, and also when a
 * later file gets the same inode number. Only {@link FileId#device} tells two mounted copies of one image apart.
 *
 * @param fsHigh upper half of the file system's id, big-endian
 * @param fsLow lower half
 * @param inode inode number
 * @param generation of the kernel's file handle; where there is none, the birth time in nanoseconds, or 0
 */
public record FileIdentity(long fsHigh, long fsLow, long inode, long generation) {}
