package io.chagres.watch;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Epoll;
import io.chagres.linux.EventFd;
import io.chagres.linux.Inotify;

/** Waits for events and for other threads. {@link #signal} is safe for any thread, the rest is confined to one. */
final class Wakeups implements AutoCloseable {
    private static final long INOTIFY = 1;
    private static final long SIGNAL = 2;

    private final EventFd signal;
    private final Epoll everything;
    /** Does not wake for inotify, whose events stay readable while they are collected. */
    private final Epoll signals;

    private boolean signalled;

    Wakeups(Inotify inotify) throws ErrnoException {
        signal = EventFd.open();
        everything = Epoll.open();
        signals = Epoll.open();
        everything.add(inotify.fd(), Epoll.EPOLLIN, INOTIFY);
        everything.add(signal.fd(), Epoll.EPOLLIN, SIGNAL);
        signals.add(signal.fd(), Epoll.EPOLLIN, SIGNAL);
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
