package io.chagres.dedupe;

/** Does a part of the work in steps. Used by one thread at a time; others may work meanwhile. */
public interface DedupeWorker extends AutoCloseable {
    /**
     * Makes the next step. The listener hears of failures of single files.
     *
     * @return false if none is left, or the work was stopped
     */
    boolean step();

    /** Frees the memory. Idempotent. */
    @Override
    void close();
}
