package io.chagres.dedupe;

/** XFS. */
final class XfsReplacedFilesTest extends ReplacedFilesContract {
    XfsReplacedFilesTest() {
        super("xfs", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1");
    }
}
