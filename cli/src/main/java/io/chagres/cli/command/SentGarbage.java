package io.chagres.cli.command;

/**
 * Collects what has been sent and grew old while it waited for an answer. The JVM looks at old objects only when the
 * heap may not grow any more, so that of a program that sends for weeks would. Confined to one thread.
 */
public final class SentGarbage {
    /** A collection takes some 20 ms, and so much takes ten seconds to send. */
    private static final long EACH_BYTES = 1L << 30;

    /** What a record makes of garbage beside its bytes, at least. */
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
