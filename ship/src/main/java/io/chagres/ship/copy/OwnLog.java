package io.chagres.ship.copy;

import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.store.BlobStore;
import java.util.Map;

/**
 * Where a shipper finds what it has archived. Immutable.
 *
 * @param store where its host is
 * @param recent the last commits, by number: what is known need not be read
 */
public record OwnLog(BlobStore store, String hostId, Map<Long, CommitHeader> recent) {}
