package io.chagres.dedupe;

/** XFS. */
final class XfsConvergenceTest extends ConvergenceContract {
    XfsConvergenceTest() {
        super("xfs", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1");
    }
}
