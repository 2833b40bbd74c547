package io.chagres.archive.model;

/** What the model can get wrong on purpose: each stands for one precaution of the protocol that is left out. */
enum Weakness {
    /** The protocol as it is. */
    NONE,
    /** Commits go before the checkpoint that stands for them is put. */
    REMOVES_BEFORE_CHECKPOINT,
    /** Commits go without their replacement being read back from the store. */
    NO_READ_BACK,
    /** A checkpoint needs no mark to count. */
    BELIEVES_CHECKPOINT,
    /** A compaction takes a table of the shipper's in the place of commits. */
    BELIEVES_TABLE,
    /** The way around a damaged checkpoint takes any commits with the numbers of those it stood for. */
    NO_COMPARISON_WITH_HISTORY,
    /** A compaction makes a checkpoint again of commits that contradict it. */
    BELIEVES_ANY_COMMIT,
    /** A shipper that finds a commit where it wants to put its own takes it for its own. */
    TAKES_ANY_COMMIT,
    /** A shipper that slept never looks at what happened meanwhile. */
    NO_LOOK_AFTER_SLEEP,
    /** A shipper that slept while it put its commit does not look afterwards. */
    NO_LOOK_AFTER_PUT,
    /** A shipper takes a commit for kept when any checkpoint has its number or a later one. */
    KEPT_WITHOUT_MARK,
    /** A repair moves damaged objects away and puts no checkpoint in their place. */
    REPAIR_PUTS_NOTHING
}
