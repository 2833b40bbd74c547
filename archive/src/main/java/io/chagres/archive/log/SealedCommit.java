package io.chagres.archive.log;

import io.chagres.archive.format.FixedHeader;
import java.lang.foreign.MemorySegment;

/**
 * A commit ready for the store. It stays the same however often it is offered.
 *
 * @param fixed what it begins with
 * @param chain what the next commit names as its predecessor
 * @param bytes owned by the builder, valid until it is reset or closed
 */
record SealedCommit(FixedHeader fixed, byte[] chain, MemorySegment bytes) {}
