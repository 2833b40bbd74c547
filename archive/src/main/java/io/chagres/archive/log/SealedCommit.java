package io.chagres.archive.log;

import java.lang.foreign.MemorySegment;

/**
 * A commit ready for the store. It stays the same however often it is offered.
 *
 * @param nonce tells the writer its own commit
 * @param chain what the next commit names as its predecessor
 * @param bytes owned by the builder, valid until it is reset or closed
 */
record SealedCommit(long seq, byte[] nonce, byte[] chain, MemorySegment bytes) {}
