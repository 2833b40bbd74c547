package io.chagres.mount;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.PathFd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import org.jspecify.annotations.Nullable;

/**
 * Notices that another archive lies in a local directory than the one that was opened there: it was moved away,
 * removed, emptied, unmounted or mounted over. Stores elsewhere are known by their address alone. Confined to one
 * thread.
 */
final class ArchiveRoot implements AutoCloseable {
    /** The result of a look. */
    enum Finding {
        /** It is there, or cannot be looked for. */
        SAME,

        /** Nothing is there. */
        NONE,

        /** Another one is there. */
        OTHER
    }

    private final @Nullable Pathname hosts;

    /** Its directory of hosts: as long as this is held, no other one gets its number. */
    private @Nullable PathFd held;

    /** Remembers what is there now, where a store is about to be used. */
    ArchiveRoot(BlobStore store) {
        hosts = ProtectedStore.stored(store) instanceof DirectoryStore local
                ? local.root().resolve(ArchiveLayout.HOSTS)
                : null;
        var _ = find();
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
        int opened = Fd.tryOpen(hosts, Fd.O_PATH | Fd.O_DIRECTORY | Fd.O_CLOEXEC, 0);
        if (opened < 0) {
            // a place that may not be looked at now is believed to be what it was
            boolean none = opened == -Errno.ENOENT || opened == -Errno.ENOTDIR;
            return none && held != null ? Finding.NONE : Finding.SAME;
        }
        PathFd there = PathFd.ofValue(opened);
        PathFd before = held;
        if (before == null) {
            held = there;
            return Finding.SAME;
        }
        try (there;
                Statx now = new Statx();
                Statx then = new Statx()) {
            int looked = Math.min(now.of(there.value()), then.of(before.value()));
            boolean same = looked < 0 || (now.ino() == then.ino() && now.dev() == then.dev());
            return same ? Finding.SAME : Finding.OTHER;
        }
    }

    @Override
    public void close() {
        if (held != null) {
            held.close();
        }
    }
}
