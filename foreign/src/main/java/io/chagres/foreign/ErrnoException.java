package io.chagres.foreign;

import java.io.IOException;

/**
 * A system call failed on a path where that is rare. The message names call, subject and cause:
 * {@code open /x/y: No such file or directory (ENOENT)}. Immutable.
 */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;
    private final String subject;

    /**
     * Describes a failed call.
     *
     * @param call the system call's name
     * @param errno the error number, positive
     * @param subject what it was called on: a path, or a descriptor; may be empty
     */
    public ErrnoException(String call, int errno, String subject) {
        super(call + (subject.isEmpty() ? "" : " " + subject) + ": " + Errno.message(errno) + " (" + Errno.name(errno)
                + ")");
        this.call = call;
        this.errno = errno;
        this.subject = subject;
    }

    /**
     * Returns the system call's name.
     *
     * @return such as {@code open}
     */
    public String call() {
        return call;
    }

    /**
     * Returns the error number.
     *
     * @return a constant of {@link Errno}, positive
     */
    public int errno() {
        return errno;
    }

    /**
     * Returns what the call was made on.
     *
     * @return a path or descriptor in words; may be empty
     */
    public String subject() {
        return subject;
    }
}
