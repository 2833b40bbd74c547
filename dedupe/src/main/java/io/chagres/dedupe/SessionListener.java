package io.chagres.dedupe;

import io.chagres.linux.Pathname;
import java.io.IOException;

/** Hears of a session as a whole, too, by calls on the session's thread. Must not call back. */
public interface SessionListener extends DedupeListener {
    /**
     * Tells how far the work has come, several times a second.
     *
     * @param doneBytes of files that are settled
     * @param totalBytes of all that are to be
     */
    void progress(long doneBytes, long totalBytes);

    /**
     * Tells that the files are on several file systems, so that not all are compared.
     *
     * @param count 2 or more
     */
    void separated(int count);

    /**
     * Tells what cannot be followed, once for each path and cause.
     *
     * @param path which
     * @param what happened and what to do about it
     * @param errno the error number, positive, or 0 when there is none
     */
    void problem(Pathname path, String what, int errno);

    /**
     * Tells that all files, or all that changed, are gone over, or that the session was stopped.
     *
     * @param totals since all were listed last
     * @throws IOException if nobody can hear it now: ends the session
     */
    void finished(DedupeTotals totals) throws IOException;
}
