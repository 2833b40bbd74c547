package io.chagres.archive.log;

import java.io.IOException;

/**
 * A commit that a reader would refuse was about to be written, and was not: a defect of this program. Its content is
 * still in the local files.
 */
public final class UnreadableCommitException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param fault what a reader would say
     */
    public UnreadableCommitException(String fault) {
        super("this program was about to write a commit that nobody could read (" + fault + "); it was not written."
                + " Nothing is lost while the local files stay; please report this");
    }
}
