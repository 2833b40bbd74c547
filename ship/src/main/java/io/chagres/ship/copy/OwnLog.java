package io.chagres.ship.copy;

import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.store.BlobStore;
import java.util.Map;

/**
 * Where a shipper finds its archived bytes. Immutable.
 *
 * @param store where its host is
 * @param recent the last commits, by number: they need not be read from the store
 */
public record OwnLog(BlobStore store, String hostId, Map<Long, CommitHeader> recent) {}
