package io.chagres.archive.log;

import java.util.function.LongPredicate;

/** Says of which versions the extents are kept in memory; the rest of the state needs none. */
public interface ExtentFilter {
    /** Keeps none: enough for names, sizes and times. */
    ExtentFilter NONE = versionId -> false;

    /** Keeps all. */
    ExtentFilter ALL = versionId -> true;

    /** Says whether the extents of a version are kept. */
    boolean keeps(long versionId);

    /** Keeps those a predicate accepts. */
    static ExtentFilter of(LongPredicate predicate) {
        return predicate::test;
    }
}
