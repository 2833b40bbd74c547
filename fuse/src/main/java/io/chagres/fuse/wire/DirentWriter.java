package io.chagres.fuse.wire;

import java.lang.foreign.MemorySegment;

/** Writes {@code struct fuse_dirent} without its name, which follows it and is padded to eight bytes. */
public final class DirentWriter {
    private DirentWriter() {}

    /** Returns the size of an entry with its name and padding. */
    public static long size(int nameLength) {
        return Abi.DIRENT + nameLength + 7L & -8L;
    }

    /** Returns the size of an entry with attributes, its name and padding. */
    public static long sizePlus(int nameLength) {
        return Abi.DIRENTPLUS + nameLength + 7L & -8L;
    }

    /** Writes an entry up to its name, and the padding behind the name. */
    public static void write(MemorySegment to, long at, int nameLength, long ino, int type, long next) {
        // The last eight bytes hold the padding and at least a byte of the name, which is written later.
        Abi.putLong(to, at + size(nameLength) - Long.BYTES, 0);
        Abi.putLong(to, at + Abi.DIRENT_INO, ino);
        Abi.putLong(to, at + Abi.DIRENT_OFF, next);
        Abi.putInt(to, at + Abi.DIRENT_NAMELEN, nameLength);
        Abi.putInt(to, at + Abi.DIRENT_TYPE, type);
    }
}
