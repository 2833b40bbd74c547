package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The half of a ring that we fill and the kernel empties while it is entered. Confined to one thread. */
final class SubmissionQueue {
    private final MemorySegment ring;
    private final IoUringParams params;
    private final SubmissionEntry entry;

    /** Entries handed out; the kernel sees them when they are published. */
    private int tail;

    SubmissionQueue(MemorySegment ring, MemorySegment entries, IoUringParams params) {
        this.ring = ring;
        this.params = params;
        this.entry = new SubmissionEntry(entries, params.entryBytes());
        for (int i = 0; i < params.sqEntries(); i++) {
            ring.set(ValueLayout.JAVA_INT, params.sqArray() + (long) i * Integer.BYTES, i);
        }
    }

    /** Hands out the next entry, cleared; null if all are waiting to be submitted. */
    @Nullable
    SubmissionEntry next() {
        if (pending() == params.sqEntries()) {
            return null;
        }
        // The kernel makes the size a power of two.
        return entry.at(tail++ & params.sqEntries() - 1);
    }

    int pending() {
        return tail - taken();
    }

    /** Counts the entries that the kernel took since the ring was made, modulo 2^32. */
    int taken() {
        return RingMemory.acquire(ring, params.sqHead());
    }

    void publish() {
        RingMemory.release(ring, params.sqTail(), tail);
    }

    /** Takes back what the kernel did not take; it looks only while it is entered. */
    void retract() {
        tail = taken();
        publish();
    }
}
