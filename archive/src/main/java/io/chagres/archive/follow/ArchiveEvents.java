package io.chagres.archive.follow;

import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Epoll;
import io.chagres.linux.EventFd;
import io.chagres.linux.Inotify;
import io.chagres.linux.InotifyEvents;
import io.chagres.linux.Pathname;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Waits until something may be new below some prefixes of a store: inotify reports changes of directories; others are
 * polled. Writes of another machine through a network file system raise no events, so directories are looked at too,
 * only less often. {@link #wakeup} is safe for any thread, the rest is confined to one.
 */
public final class ArchiveEvents implements AutoCloseable {
    private static final int POLL_MS = 200;
    private static final int NETWORK_POLL_MS = 1_000;
    private static final int NEW_NAMES =
            Inotify.IN_CREATE | Inotify.IN_MOVED_TO | Inotify.IN_ONLYDIR | Inotify.IN_EXCL_UNLINK;

    private final BlobStore store;
    private final EventFd signal;
    private final Epoll epoll;
    private final @Nullable Inotify inotify;
    private final InotifyEvents events = new InotifyEvents();
    private final Map<Integer, String> watched = new HashMap<>(); // prefixes by watch descriptor
    private final Set<String> unwatched = new HashSet<>();

    /** Waits for nothing yet; the store stays the caller's. */
    public ArchiveEvents(BlobStore store) throws ErrnoException {
        this.store = store;
        signal = EventFd.open();
        epoll = Epoll.open();
        epoll.add(signal.fd(), Epoll.EPOLLIN, 0);
        inotify = inotifyIfPossible();
        if (inotify != null) {
            epoll.add(inotify.fd(), Epoll.EPOLLIN, 0);
        }
    }

    private static @Nullable Inotify inotifyIfPossible() {
        try {
            return Inotify.open();
        } catch (ErrnoException e) {
            return null; // the limit of the user is reached: polling does it too
        }
    }

    /** Waits for new names below a prefix from now on; where that cannot be, or not yet, it is tried again. */
    public void watch(String prefix) {
        if (watched.containsValue(prefix)) {
            return;
        }
        Pathname root = store.traits().directory();
        int wd = root == null || inotify == null
                ? -1
                : inotify.add(root.resolve(prefix.substring(0, prefix.length() - 1)), NEW_NAMES);
        if (wd > 0) {
            watched.put(wd, prefix);
            unwatched.remove(prefix);
        } else {
            unwatched.add(prefix);
        }
    }

    /** Waits for an event, a wakeup, or until it is time to look. */
    public void await() {
        Set.copyOf(unwatched).forEach(this::watch);
        epoll.waitFor(unwatched.isEmpty() ? NETWORK_POLL_MS : POLL_MS);
        signal.drain();
        while (inotify != null && inotify.read(events) > 0) {
            while (events.next()) {
                if ((events.mask() & Inotify.IN_IGNORED) != 0) {
                    String gone = watched.remove(events.wd());
                    if (gone != null) {
                        unwatched.add(gone); // it may be made again
                    }
                }
            }
        }
    }

    /** Ends a wait, or the next one. */
    public void wakeup() {
        signal.signal();
    }

    @Override
    public void close() {
        epoll.close();
        signal.close();
        if (inotify != null) {
            inotify.close();
        }
        events.close();
    }
}
