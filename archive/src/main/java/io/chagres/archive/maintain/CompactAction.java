package io.chagres.archive.maintain;

/** Says what is done, or would be. */
public enum CompactAction {
    /** Bytes of a version go into a new object. */
    WRITE,
    /** Bytes or a whole version leave the archive's present. */
    EXPIRE,
    /** Bytes are declared expired; a run after the grace period expires them. */
    EXPIRE_LATER,
    /** An object is deleted. */
    REMOVE
}
