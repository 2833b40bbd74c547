package io.chagres.mount;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.foreign.Errno;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import org.jspecify.annotations.Nullable;

/**
 * Notices that another archive lies in a local directory than the one that was opened there: it was moved away, removed,
 * emptied, unmounted or mounted over. Stores elsewhere are known by their address alone. Confined to one thread.
 */
final class ArchivePlace {
    /** What became of it. */
    enum Finding {
        /** It is there, or cannot be looked for. */
        SAME,

        /** Nothing is there. */
        NONE,

        /** Another one is there. */
        OTHER
    }

    /** Tells directories apart, also one that got the number of one that is gone. */
    private record Identity(long dev, long ino, long bornNs) {}

    private final @Nullable Pathname hosts;
    private @Nullable Identity opened;

    /** Remembers what is there now, where a store is about to be used. */
    ArchivePlace(BlobStore store) {
        hosts = store.stored() instanceof DirectoryStore local ? local.root().resolve(ArchiveLayout.HOSTS) : null;
        opened = look();
    }

    /** Says whether it can be looked for. */
    boolean isLocal() {
        return hosts != null;
    }

    /** Compares what is there with what was there when this was made; an archive that begins is no other one. */
    Finding find() {
        if (hosts == null) {
            return Finding.SAME;
        }
        Identity now = look();
        if (opened == null) {
            opened = now;
        }
        return opened == null || opened.equals(now) ? Finding.SAME : now == null ? Finding.NONE : Finding.OTHER;
    }

    private @Nullable Identity look() {
        if (hosts == null) {
            return null;
        }
        try (Statx statx = new Statx()) {
            int result = statx.of(hosts, true);
            if (result == 0) {
                return new Identity(statx.dev(), statx.ino(), statx.btimeNs());
            }
            // What may not be looked at now is believed to be what it was.
            return result == -Errno.ENOENT || result == -Errno.ENOTDIR ? null : opened;
        }
    }
}
