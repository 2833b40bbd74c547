package io.chagres.archive;

import java.io.IOException;

/** Says that an object is encrypted and that no identity at hand opens it. */
public final class EncryptedException extends IOException {
    private static final long serialVersionUID = 1;

    private final String object;
    private final String fault;

    /**
     * Makes an exception.
     *
     * @param object the key of the object
     * @param recipients to how many it is encrypted
     * @param identities how many identities were tried
     */
    public EncryptedException(String object, int recipients, int identities) {
        this(object, fault(recipients, identities));
    }

    private EncryptedException(String object, String fault) {
        super(object + " " + fault);
        this.object = object;
        this.fault = fault;
    }

    private static String fault(int recipients, int identities) {
        return "is encrypted to " + recipients + (recipients == 1 ? " recipient" : " recipients")
                + (identities == 0
                        ? "; give an identity that opens it (--identity FILE)"
                        : ", and " + (identities == 1 ? "the identity" : "none of the " + identities + " identities")
                                + (identities == 1 ? " that was given does not open it" : " that were given opens it"));
    }

    /** Returns it as bytes of a file that cannot be read, for whatever reason. */
    public CorruptArchiveException asLoss() {
        return new CorruptArchiveException(object, "it " + fault);
    }

    /** Returns it as damage of the object, for a caller who has an identity that opens others of the host. */
    public CorruptArchiveException asDamage() {
        return new CorruptArchiveException(object, "no identity that was given opens it");
    }

    /** Returns the key of the object. */
    public String object() {
        return object;
    }
}
