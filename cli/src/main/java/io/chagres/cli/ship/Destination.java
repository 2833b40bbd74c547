package io.chagres.cli.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.Shipper;
import java.io.IOException;

/** Where the bytes of a ship go: an archive, or through a spool into Kafka. Confined to one thread. */
@FunctionalInterface
interface Destination extends AutoCloseable {
    /** Opens the store that the shipper writes into; the caller closes it. */
    BlobStore open() throws IOException;

    /** Begins to take away what the shipper puts there, before its first step. */
    default void begin(Shipper shipper) throws IOException {}

    /**
     * Says whether something has been accepted where the bytes go, and not only been refused since the start. Safe for
     * any thread.
     */
    default boolean hasAccepted(ShipStatus status) {
        return status.storeTrouble() == null || status.commits() > 0;
    }

    /** Throws what has ended the taking away, if anything has. */
    default void check() throws IOException {}

    /** Ends after the shipper did. */
    @Override
    default void close() {}
}
