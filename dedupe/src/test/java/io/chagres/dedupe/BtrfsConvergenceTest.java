package io.chagres.dedupe;

/** Btrfs. */
final class BtrfsConvergenceTest extends ConvergenceContract {
    BtrfsConvergenceTest() {
        super("btrfs", "defaults", "mkfs.btrfs", "-q");
    }
}
