package io.chagres.archive.restore;

/** Hears how restoring proceeds. */
@FunctionalInterface
public interface RestoreListener {
    /** Bytes of a host's files were written; {@code totalBytes} grows when another host begins. */
    default void progress(long doneBytes, long totalBytes) {}

    /** Something was not restored, or not completely: what, and why. */
    void fault(String subject, String cause);
}
