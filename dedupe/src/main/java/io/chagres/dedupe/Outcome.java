package io.chagres.dedupe;

/** Why a file was left as it is. */
public enum Outcome {
    /** Its size and samples are those of another file, its content is not. */
    DIFFERENT,
    /** It was changed, replaced or removed since it was listed. */
    CHANGED,
    /** It has no blocks that could be shared: a few bytes within its inode. */
    INLINE,
    /** A call failed; the error number says why. */
    FAILED
}
