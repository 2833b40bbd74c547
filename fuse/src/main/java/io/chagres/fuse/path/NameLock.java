package io.chagres.fuse.path;

import io.chagres.fuse.Reply;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.InvalidPathException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Names change alone: a path that somebody resolved stays right until he used it. What is thrown meanwhile becomes the
 * answer. Safe for any thread.
 */
final class NameLock {
    private final ReadWriteLock names = new ReentrantReadWriteLock();
    private final boolean ofProvider;

    /**
     * Makes a lock that nobody holds.
     *
     * @param ofProvider whether unchecked exceptions are answers too: a provider of java.nio.file says so what it does
     *     not do. From anybody else they are faults, and so for the server to log
     */
    NameLock(boolean ofProvider) {
        this.ofProvider = ofProvider;
    }

    /** Work on a path that may fail. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Does what resolves a path and uses it, or makes a new name. */
    void using(Reply reply, Work work) {
        locked(names.readLock(), reply, work);
    }

    /** Does what removes or moves a name. */
    void changing(Reply reply, Work work) {
        locked(names.writeLock(), reply, work);
    }

    private void locked(Lock lock, Reply reply, Work work) {
        lock.lock();
        try {
            answer(reply, work);
        } finally {
            lock.unlock();
        }
    }

    /** Does what needs no path. */
    void answer(Reply reply, Work work) {
        try {
            work.run();
        } catch (IOException e) {
            reply.error(ThrownErrno.of(e));
        } catch (UnsupportedOperationException
                | InvalidPathException
                | SecurityException
                | ClosedFileSystemException e) {
            if (!ofProvider) {
                throw e;
            }
            reply.error(ThrownErrno.of(e));
        }
    }
}
