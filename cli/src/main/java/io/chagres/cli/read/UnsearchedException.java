package io.chagres.cli.read;

import java.io.IOException;

/** A file could not be searched wholly, for what it holds; the archive is right. */
final class UnsearchedException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param file host and path
     * @param why what keeps it from being searched
     */
    UnsearchedException(ContentSink.Origin file, String why) {
        super(file + ": " + why);
    }
}
