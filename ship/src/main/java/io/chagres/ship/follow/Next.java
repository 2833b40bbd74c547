package io.chagres.ship.follow;

/** The result of a turn of a {@link io.chagres.ship.file.Tail}: when it gets the next one. */
public enum Next {
    /** Nothing to do before the next event. */
    WAIT,
    /** More to do: the tail goes to the end of the queue. */
    AGAIN,
    /** More to do after one coalescing window. */
    LATER,
    /** The kernel refuses to open, look at or read the file: to be tried again after a while. */
    REFUSED,
    /** The commit is full: the tail keeps its place until there is room. */
    NO_ROOM,
    /** The version ended. */
    OVER
}
