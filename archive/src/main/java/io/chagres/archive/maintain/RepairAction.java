package io.chagres.archive.maintain;

/** The action of a step. */
public enum RepairAction {
    /** Nothing: says what is lost for good. */
    LOSS,
    /** Puts a checkpoint of what is left. */
    CHECKPOINT,
    /** Puts what follows from the log, or what a damaged object still says. */
    PUT,
    /** Moves a damaged object away. */
    QUARANTINE,
    /** Nothing: the step that was announced for this object failed. */
    FAILURE
}
