package io.chagres.archive.store;

import java.io.IOException;

/** Says that a store has no object under a key. */
public final class NoSuchBlobException extends IOException {
    private static final long serialVersionUID = 1;

    /** Makes an exception. */
    public NoSuchBlobException(String key) {
        super(key + " does not exist in the store");
    }
}
