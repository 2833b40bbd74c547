package io.chagres.archive.store;

import java.io.IOException;

/** Says that a store refused something: which object, and why. Nothing that was acknowledged before is lost. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1;

    /** Makes an exception with a message for people and the cause behind it. */
    public StoreException(String message, Exception cause) {
        super(message, cause);
    }

    /** Makes an exception with a message for people. */
    public StoreException(String message) {
        super(message);
    }
}
