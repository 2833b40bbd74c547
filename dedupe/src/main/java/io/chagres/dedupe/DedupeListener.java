package io.chagres.dedupe;

import io.chagres.linux.Pathname;

/** Hears the outcome of each file, from the threads of the workers, one call at a time. Must not call back. */
public interface DedupeListener {
    /**
     * Tells that a file shares the blocks of an equal one now; in a dry run, that it could.
     *
     * @param source the other one
     * @param file which
     * @param lengthBytes its size; less where space is only reserved in one of them, which keeps that
     */
    void shared(Pathname source, Pathname file, long lengthBytes);

    /**
     * Tells that a range of a file shares blocks now; in a dry run, that it could.
     *
     * @param source whose blocks; the file itself where blocks of zeros became a hole
     * @param sourcePosition where they are there, bytes from the start of that file; -1 for a hole
     * @param file which
     * @param position where the range begins, bytes from the start of the file
     * @param lengthBytes its length
     */
    void sharedRange(Pathname source, long sourcePosition, Pathname file, long position, long lengthBytes);

    /**
     * Tells that a file or directory was left as it is.
     *
     * @param path which
     * @param outcome why
     * @param errno the error number of {@link Outcome#FAILED}, positive; 0 otherwise
     */
    void skipped(Pathname path, Outcome outcome, int errno);

    /**
     * Tells, once for each, of a file system whose files cannot share blocks; nothing on it is touched.
     *
     * @param path a file on it
     * @param type f_type of statfs(2)
     */
    void unsupported(Pathname path, long type);
}
