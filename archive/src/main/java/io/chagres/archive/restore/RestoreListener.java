package io.chagres.archive.restore;

/** Hears how restoring proceeds. */
public interface RestoreListener {
    /** Bytes of a host's files were written; {@code totalBytes} grows when another host begins. */
    void progress(long doneBytes, long totalBytes);

    /** Something was not restored, or not completely: what, and why. */
    void fault(String subject, String cause);
}
