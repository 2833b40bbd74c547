package io.chagres.dedupe;

/** XFS. */
class XfsDedupeTest extends DedupeContract {
    XfsDedupeTest() {
        super("xfs", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1");
    }
}
