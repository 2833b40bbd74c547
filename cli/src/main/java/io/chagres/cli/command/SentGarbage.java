package io.chagres.cli.command;

/**
 * Collects what was sent and grew old while it waited for an answer. The JVM looks at old objects only when the heap
 * may no longer grow, so the heap of a program that sends for weeks would grow. Confined to one thread.
 */
public final class SentGarbage {
    /** A collection takes some 20 ms; sending this amount takes ten seconds. */
    private static final long EACH_BYTES = 1L << 30;

    /** The least garbage that a record makes beside its bytes. */
    private static final long RECORD_BYTES = 200;

    private long bytes;

    /** Collects if much was sent since the last time. */
    public void sent(long records, long bytesOfThem) {
        bytes += bytesOfThem + records * RECORD_BYTES;
        if (bytes >= EACH_BYTES) {
            bytes = 0;
            System.gc();
        }
    }
}
