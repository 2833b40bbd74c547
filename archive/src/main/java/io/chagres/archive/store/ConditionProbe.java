package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Asks a store whether it keeps the condition that everything rests on. Stateless. */
public final class ConditionProbe {
    /** Written by every program that opens the archive for writing, always with the same content. */
    public static final String KEY = "probe";

    private ConditionProbe() {}

    /**
     * Puts one object twice: the second put must be told that it exists. The shipper may not delete, so it stays.
     *
     * @param condition how the store's protocol calls the condition
     * @param advice which stores keep it
     * @throws StoreException when the store refuses the put, or replaces the object: it is closed then
     */
    public static void prove(BlobStore store, String condition, String advice) throws IOException {
        boolean proven = false;
        try {
            MemorySegment content = MemorySegment.ofArray("Chagres\n".getBytes(StandardCharsets.US_ASCII));
            boolean made = store.putIfAbsent(KEY, content);
            boolean again = made && store.putIfAbsent(KEY, content);
            if (again) {
                throw new StoreException(store.name() + ": this store ignores " + condition
                        + ", so two writers would replace each other's commits. " + advice);
            }
            proven = true;
        } finally {
            if (!proven) {
                store.close();
            }
        }
    }
}
