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
            description = "Most disk space that removed files may occupy until they are shipped; beyond it those that"
                    + " lost their names first are given up, and counted as lost (default: no bound, they may fill the"
                    + " disk while the store is away).")
    @Nullable
    ByteSize hold;

    /** Says it to a shipper that has made no step. */
    void apply(Shipper shipper) {
        if (hold != null) {
            shipper.hold(hold.bytes());
        }
    }
}
