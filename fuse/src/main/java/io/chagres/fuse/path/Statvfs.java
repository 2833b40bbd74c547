package io.chagres.fuse.path;

/**
 * How full a file system is, what df(1) shows, see statvfs(3). Immutable.
 *
 * @param blockSize the size of a block, bytes
 * @param blocks how many there are
 * @param freeBlocks how many are free, for everybody
 * @param files how many files there can be
 * @param freeFiles how many more
 * @param nameLength the longest name, bytes
 */
public record Statvfs(int blockSize, long blocks, long freeBlocks, long files, long freeFiles, int nameLength) {
    /** Nothing is known but the length of names. */
    public static final Statvfs UNKNOWN = new Statvfs(4096, 0, 0, 0, 0, 255);
}
