package io.chagres.archive.state;

/** Chooses the versions whose extents a {@link HostState} keeps; names, sizes and times need none. */
@FunctionalInterface
public interface ExtentFilter {
    /** Keeps none. */
    ExtentFilter NONE = versionId -> false;

    /** Keeps all: what a checkpoint is made from. */
    ExtentFilter ALL = versionId -> true;

    /** Says whether the extents of a version are kept. */
    boolean keeps(long versionId);

    /** Returns the filter itself; gives a lambda its type. */
    static ExtentFilter of(ExtentFilter filter) {
        return filter;
    }
}
