package io.chagres.mount;

import io.chagres.fuse.FuseFileSystem;
import io.chagres.linux.Pathname;

/**
 * Makes the numbers the kernel and programs know things by. The number of a file names its host and version, so that no
 * table of files is needed: bit 62, then the place of the host in this mount, then the version. What stat(2) shows is a
 * hash of host and version, or of host and path, and so the same in every mount. Stateless.
 */
final class FileNumbers {
    static final long ROOT = FuseFileSystem.ROOT;

    /** More versions than any host has; others are not shown. */
    static final long MAX_VERSION = (1L << 44) - 1;

    static final int MAX_HOSTS = 1 << 17;

    private static final long FILE = 1L << 62;
    private static final int SLOT_SHIFT = 44;

    private FileNumbers() {}

    static boolean isFile(long number) {
        return (number & FILE) != 0;
    }

    /** Says whether a version has a number: another's would be that of another file. */
    static boolean has(long version) {
        return version > 0 && version <= MAX_VERSION;
    }

    /** Returns the number of a version of the host in a place. */
    static long file(int slot, long version) {
        assert slot >= 0 && slot < MAX_HOSTS && has(version);
        return FILE | (long) slot << SLOT_SHIFT | version;
    }

    /** Returns the place of the host of a file. */
    static int slot(long number) {
        return (int) ((number & ~FILE) >>> SLOT_SHIFT);
    }

    /** Returns the version of a file. */
    static long version(long number) {
        return number & MAX_VERSION;
    }

    /** Returns the inode number of a version. */
    static long inode(long host, long version) {
        return positive(mixed(host ^ mixed(version)));
    }

    /** Returns the inode number of what is no file. */
    static long inode(long host, Pathname path) {
        long hash = 0xcbf29ce484222325L; // FNV-1a
        for (int i = 0; i < path.length(); i++) {
            hash = (hash ^ (path.byteAt(i) & 0xff)) * 0x100000001b3L;
        }
        return positive(mixed(host + 1 ^ mixed(hash)));
    }

    /** Spreads all bits: the finalizer of splitmix64. */
    private static long mixed(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    private static long positive(long value) {
        return Math.max(2, value & Long.MAX_VALUE);
    }
}
