package io.chagres.ship;

/** Tells the version of this program, which the log keeps with every incarnation. */
public final class Version {
    /** The version. */
    public static final String TEXT = "0.1.0";

    private Version() {}
}
