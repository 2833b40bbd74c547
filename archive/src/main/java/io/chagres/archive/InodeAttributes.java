package io.chagres.archive;

/**
 * Holds what restoring a name needs besides its bytes. Immutable.
 *
 * @param mode permissions, 0 to 07777
 * @param uid owner
 * @param gid group
 * @param mtimeNs modification time in nanoseconds since 1970
 */
public record InodeAttributes(int mode, int uid, int gid, long mtimeNs) {
    /** The attributes of a directory that no record describes: a parent of shipped files. */
    public static final InodeAttributes DEFAULT_DIRECTORY = new InodeAttributes(0755, 0, 0, Long.MIN_VALUE);

    /** Returns the same attributes with another modification time. */
    public InodeAttributes withMtimeNs(long changed) {
        return changed == mtimeNs ? this : new InodeAttributes(mode, uid, gid, changed);
    }
}
