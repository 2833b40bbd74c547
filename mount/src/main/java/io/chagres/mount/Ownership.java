package io.chagres.mount;

import io.chagres.archive.InodeAttributes;
import io.chagres.fuse.Attributes;

/**
 * Says whose the files are and what may be done with them. Immutable.
 *
 * @param uid the owner of everything, or {@link #AS_ARCHIVED}
 * @param gid the group of everything, or {@link #AS_ARCHIVED}
 * @param umask permission bits taken away, 0 to 0777
 */
public record Ownership(int uid, int gid, int umask) {
    /** Stands for the owner or group the file had. */
    public static final int AS_ARCHIVED = -1;

    /** Everything as it was. */
    public static final Ownership ARCHIVED = new Ownership(AS_ARCHIVED, AS_ARCHIVED, 0);

    private static final int MODE_BITS = 07777;

    /** Sets owner, group and permissions of what has its type already. */
    void apply(InodeAttributes archived, Attributes to) {
        to.uid(uid == AS_ARCHIVED ? archived.uid() : uid);
        to.gid(gid == AS_ARCHIVED ? archived.gid() : gid);
        to.mode((to.mode() & ~MODE_BITS) | (archived.mode() & MODE_BITS & ~umask));
    }
}
