package io.chagres.dedupe;

/** Btrfs. */
final class BtrfsReplacedFilesTest extends ReplacedFilesContract {
    BtrfsReplacedFilesTest() {
        super("btrfs", "defaults", "mkfs.btrfs", "-q");
    }
}
