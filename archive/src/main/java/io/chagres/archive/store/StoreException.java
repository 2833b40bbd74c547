package io.chagres.archive.store;

import java.io.IOException;

/** Says that a store refused something: which object, and why. Nothing that was acknowledged before is lost. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1;

    private final boolean lasting;

    /** Makes an exception with a message for people and the cause behind it. */
    public StoreException(String message, Exception cause) {
        this(message, cause, false);
    }

    /**
     * Makes an exception with a message for people and the cause behind it.
     *
     * @param lasting whether trying again is of no use until somebody changes something
     */
    public StoreException(String message, Exception cause, boolean lasting) {
        super(message, cause);
        this.lasting = lasting;
    }

    /** Makes an exception with a message for people, about what stays as it is: an address, a store's kind. */
    public StoreException(String message) {
        super(message);
        lasting = true;
    }

    /** Says whether trying again is of no use until somebody changes something. */
    public boolean isLasting() {
        return lasting;
    }
}
