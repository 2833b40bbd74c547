package io.chagres.archive.log;

import io.chagres.archive.CorruptArchiveException;
import java.io.IOException;
import java.util.List;

/**
 * The log does not hold what was acknowledged, or nobody can read the commit that lies where the next one belongs, so
 * that a writer cannot tell whether it is its own. A writer that opens the log anew continues elsewhere, as at a start.
 */
public final class DamagedLogException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient List<String> altered;

    /** Makes an exception of what a reader said, each time it was asked. */
    public DamagedLogException(CorruptArchiveException cause) {
        super("the log of this host is damaged where it would continue: " + cause.getMessage(), cause);
        altered = cause.altered();
    }

    /** Returns the keys of what is other than it was acknowledged, where a reader of the log sees nothing of it. */
    public List<String> altered() {
        return altered;
    }
}
