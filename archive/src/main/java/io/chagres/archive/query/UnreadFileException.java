package io.chagres.archive.query;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A file could not be read or searched wholly; nothing is known to be wrong with others. */
public final class UnreadFileException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param why which of its bytes could not be had, and why
     */
    public UnreadFileException(QueriedFile file, String why) {
        this(file, why, null);
    }

    /**
     * Makes an exception of another.
     *
     * @param cause what was said when its bytes were read; null for nothing
     */
    public UnreadFileException(QueriedFile file, String why, @Nullable IOException cause) {
        super(file + ": " + why + (cause == null ? "" : ": " + cause.getMessage()), cause);
    }
}
