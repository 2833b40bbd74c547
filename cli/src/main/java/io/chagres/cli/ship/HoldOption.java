package io.chagres.cli.ship;

import io.chagres.cli.text.ByteSize;
import io.chagres.ship.Shipper;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much of the disk a ship may hold; picocli fills its field. */
final class HoldOption {
    @Option(
            names = "--hold",
            paramLabel = "SIZE",
            description = "Let removed files that are held open until they are shipped occupy at most this much of the"
                    + " disk: what lost its name first is given up, and counted as lost (default: no bound, they may"
                    + " fill the disk while the store is away).")
    @Nullable
    ByteSize hold;

    /** Says it to a shipper that has made no step. */
    void apply(Shipper shipper) {
        if (hold != null) {
            shipper.hold(hold.bytes());
        }
    }
}
