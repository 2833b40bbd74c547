package io.chagres.archive.age;

import java.io.IOException;

/** Says why an encrypted file cannot be opened. */
public final class AgeException extends IOException {
    private static final long serialVersionUID = 1;

    /** The fault. */
    public enum Fault {
        /** It does not begin like an encrypted file of this format. */
        HEADER,
        /** No identity opens it. */
        NO_MATCH,
        /** Its header was changed. */
        MAC,
        /** Its content was changed or cut off. */
        PAYLOAD
    }

    private final Fault fault;
    private final int recipients;

    AgeException(Fault fault, String message) {
        this(fault, message, 0);
    }

    AgeException(Fault fault, String message, int recipients) {
        super(message);
        this.fault = fault;
        this.recipients = recipients;
    }

    /** Returns what is wrong. */
    public Fault fault() {
        return fault;
    }

    /** Returns to how many it is encrypted; 0 unless no identity opens it. */
    public int recipients() {
        return recipients;
    }
}
