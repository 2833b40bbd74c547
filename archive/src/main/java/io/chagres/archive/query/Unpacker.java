package io.chagres.archive.query;

import java.io.IOException;
import java.io.InputStream;

/** A form in which files are compressed. Safe for any thread. */
public interface Unpacker {
    /**
     * Returns what is packed; all of it that can be unpacked comes before an error.
     *
     * @throws IOException if it is no such file
     */
    InputStream open(InputStream packed) throws IOException;

    /** Says why a file could not be unpacked to its end. */
    String fault(IOException cause);
}
