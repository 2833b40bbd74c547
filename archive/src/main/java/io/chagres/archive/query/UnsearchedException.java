package io.chagres.archive.query;

import java.io.IOException;

/** A file could not be searched wholly, for what it holds; the archive is right. */
public final class UnsearchedException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param why what keeps it from being searched
     */
    UnsearchedException(QueriedFile file, String why) {
        super(file + ": " + why);
    }
}
