package io.chagres.archive;

/**
 * Holds what restoring a name needs besides its bytes. Immutable.
 *
 * @param mode permissions, 0 to 07777
 * @param uid owner
 * @param gid group
 * @param mtimeNs modification time in nanoseconds since 1970
 */
public record Attributes(int mode, int uid, int gid, long mtimeNs) {
    /** The attributes of a directory that no record describes: a parent of shipped files. */
    public static final Attributes DEFAULT_DIRECTORY = new Attributes(0755, 0, 0, Long.MIN_VALUE);

    /** Returns the same attributes with another modification time. */
    public Attributes withMtimeNs(long changed) {
        return new Attributes(mode, uid, gid, changed);
    }
}
