package io.chagres.archive.query;

import java.io.IOException;

/** A file could not be read or searched wholly; nothing is known to be wrong with others. */
public final class UnreadFileException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param why which of its bytes could not be had, and why
     */
    public UnreadFileException(QueriedFile file, String why) {
        super(file + ": " + why);
    }
}
