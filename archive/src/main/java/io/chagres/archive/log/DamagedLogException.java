package io.chagres.archive.log;

import io.chagres.archive.CorruptArchiveException;
import java.io.IOException;

/**
 * Where the next commit belongs lies one that nobody can read, so that a writer cannot tell whether it is its own. Who
 * opens the log anew goes on elsewhere, as at a start.
 */
public final class DamagedLogException extends IOException {
    private static final long serialVersionUID = 1;

    /** Makes an exception of what a reader said, each time it was asked. */
    public DamagedLogException(CorruptArchiveException cause) {
        super("the log of this host is damaged where it is to go on: " + cause.getMessage(), cause);
    }
}
