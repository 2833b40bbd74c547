package io.chagres.dedupe;

/** Btrfs that compresses. */
final class CompressedBtrfsConvergenceTest extends ConvergenceContract {
    CompressedBtrfsConvergenceTest() {
        super("btrfs", "compress=zstd", "mkfs.btrfs", "-q");
    }
}
