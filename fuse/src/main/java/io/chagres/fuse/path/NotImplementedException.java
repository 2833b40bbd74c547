package io.chagres.fuse.path;

import java.io.IOException;

/**
 * Says that a file system does not have an operation at all: its caller gets ENOSYS, and of most operations the kernel
 * remembers that until the file system is mounted again. If an operation only fails this time, throw any other
 * exception.
 */
public final class NotImplementedException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the operation.
     *
     * @param operation such as {@code create}
     */
    public NotImplementedException(String operation) {
        super(operation + " is not implemented");
    }
}
