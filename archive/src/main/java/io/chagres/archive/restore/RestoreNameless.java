package io.chagres.archive.restore;

/** Which versions without a name are written. */
public enum RestoreNameless {
    /** None. */
    NONE,
    /** Files that are gone. */
    GONE,
    /** Earlier states of files too: what was truncated away or rewritten. */
    ALL
}
