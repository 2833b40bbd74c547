package io.chagres.foreign;

import java.io.IOException;

/** Says that a system call failed: which call, on what, and why. Made on cold paths only. */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1;

    private final String call;
    private final int errno;
    private final String subject;

    /**
     * Makes an exception.
     *
     * @param call the name of the call
     * @param errno the error number, positive
     * @param subject the path or object it was made on
     */
    public ErrnoException(String call, int errno, String subject) {
        super(call + " " + subject + ": " + Errno.message(errno) + " (" + Errno.name(errno) + ")");
        this.call = call;
        this.errno = errno;
        this.subject = subject;
    }

    /** Returns the name of the call. */
    public String call() {
        return call;
    }

    /** Returns the error number, positive. */
    public int errno() {
        return errno;
    }

    /** Returns the path or object the call was made on. */
    public String subject() {
        return subject;
    }
}
