package io.chagres.watch;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Epoll;
import io.chagres.linux.EventFd;
import io.chagres.linux.Fd;
import io.chagres.linux.Inotify;

/** Waits for events and for other threads. {@link #signal} is safe for any thread, the rest is confined to one. */
final class Wakeups implements AutoCloseable {
    private static final long INOTIFY = 1;
    private static final long SIGNAL = 2;
    private static final long MOUNTS = 3;

    private final EventFd signal;
    private final Epoll everything;
    /** Does not wake for inotify, whose events stay readable while they are collected. */
    private final Epoll signals;

    private boolean signalled;
    private boolean mountsChanged;

    Wakeups(Inotify inotify) throws ErrnoException {
        signal = EventFd.open();
        everything = Epoll.open();
        signals = Epoll.open();
        everything.add(inotify.fd(), Epoll.EPOLLIN, INOTIFY);
        everything.add(signal.fd(), Epoll.EPOLLIN, SIGNAL);
        signals.add(signal.fd(), Epoll.EPOLLIN, SIGNAL);
    }

    /** Wakes up when the table of mounts changes, too. It can always be read, so only the change counts. */
    void addMounts(Fd table) throws ErrnoException {
        everything.add(table.value(), Epoll.EPOLLPRI, MOUNTS);
    }

    /** Says whether the table of mounts has changed since the last call. */
    boolean takeMountsChanged() {
        boolean changed = mountsChanged;
        mountsChanged = false;
        return changed;
    }

    /** Waits at most so long; says whether inotify events can be read. */
    boolean awaitEvents(int timeoutMs) {
        return await(everything, timeoutMs);
    }

    /** Waits so long, though events can be read; returns early for a signal only. */
    void pause(int timeoutMs) {
        await(signals, timeoutMs);
    }

    private boolean await(Epoll epoll, int timeoutMs) {
        signalled = false;
        boolean readable = false;
        int ready = epoll.waitFor(timeoutMs);
        for (int i = 0; i < ready; i++) {
            if (epoll.data(i) == INOTIFY) {
                readable = true;
            } else if (epoll.data(i) == MOUNTS) {
                mountsChanged = true;
            } else {
                signalled = true;
                signal.drain();
            }
        }
        return readable;
    }

    /** Says whether the last wait ended because of a signal. */
    boolean isSignalled() {
        return signalled;
    }

    void signal() {
        signal.signal();
    }

    @Override
    public void close() {
        everything.close();
        signals.close();
        signal.close();
    }
}
