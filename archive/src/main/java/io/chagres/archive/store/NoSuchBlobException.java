package io.chagres.archive.store;

import java.io.IOException;

/** Says that a store has no object under a key. */
public final class NoSuchBlobException extends IOException {
    private static final long serialVersionUID = 1;

    private final String key;

    /** Makes an exception. */
    public NoSuchBlobException(String key) {
        super("the store has no object " + key);
        this.key = key;
    }

    /** Returns the key. */
    public String key() {
        return key;
    }
}
