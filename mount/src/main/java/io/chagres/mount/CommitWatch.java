package io.chagres.mount;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Epoll;
import io.chagres.linux.EventFd;
import io.chagres.linux.Inotify;
import io.chagres.linux.InotifyEvents;
import io.chagres.linux.Pathname;

/**
 * Waits until there may be new commits: in a local directory until one appears, else until the time is over. One thread
 * waits, any may wake it.
 */
final class CommitWatch implements AutoCloseable {
    private final Inotify inotify = Inotify.open();
    private final Epoll epoll = Epoll.open();
    private final EventFd wakeUp = EventFd.open();

    CommitWatch() throws ErrnoException {
        epoll.add(inotify.fd(), Epoll.EPOLLIN, 0);
        epoll.add(wakeUp.fd(), Epoll.EPOLLIN, 1);
    }

    /** Waits for commits of a host too. Where the kernel cannot report them, each refresh finds them. */
    void add(HostTree host) {
        if (host.store() instanceof DirectoryStore directory) {
            Pathname log = directory.root().resolve(ArchiveLayout.log(host.id()));
            inotify.add(log, Inotify.IN_CREATE | Inotify.IN_MOVED_TO | Inotify.IN_ONLYDIR);
        }
    }

    /** Waits at most for that time, in milliseconds. */
    void await(long timeoutMs) {
        epoll.waitFor((int) Math.min(timeoutMs, Integer.MAX_VALUE));
        wakeUp.drain();
        try (InotifyEvents events = new InotifyEvents()) {
            int read;
            do {
                read = inotify.read(events); // which commit it is the refresh finds
            } while (read > 0);
        }
    }

    /** Ends the wait of now, or the next one. */
    void wakeUp() {
        wakeUp.signal();
    }

    @Override
    public void close() {
        wakeUp.close();
        epoll.close();
        inotify.close();
    }
}
