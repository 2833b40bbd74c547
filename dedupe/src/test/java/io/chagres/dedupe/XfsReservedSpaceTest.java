package io.chagres.dedupe;

/** XFS. */
final class XfsReservedSpaceTest extends ReservedSpaceContract {
    XfsReservedSpaceTest() {
        super("xfs", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1");
    }
}
