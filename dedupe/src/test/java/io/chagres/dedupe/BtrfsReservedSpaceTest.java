package io.chagres.dedupe;

/** Btrfs. */
final class BtrfsReservedSpaceTest extends ReservedSpaceContract {
    BtrfsReservedSpaceTest() {
        super("btrfs", "defaults", "mkfs.btrfs", "-q");
    }
}
