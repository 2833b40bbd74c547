package io.chagres.dedupe;

/** A file that is to share the source's blocks, and the outcome. */
final class ShareTarget {
    private final OpenFile open;
    private int index;
    private State state = State.ACTIVE;
    private int errno;
    private long sharedBytes;

    /** The fate of a file. */
    enum State {
        /** Not tried. */
        UNTRIED,
        /** Equal so far. */
        ACTIVE,
        /** Shares all blocks, but for those where space is only reserved. */
        SHARED,
        /** Did so before. */
        ALREADY_SHARED,
        /** The kernel found a difference. */
        DIFFERS,
        /** Changed, replaced or removed. */
        CHANGED,
        /** The kernel shares no blocks of this file with the source's. */
        REFUSED,
        /** It can be a source only: immutable, or of another owner. */
        FIXED,
        /** A call failed. */
        FAILED
    }

    ShareTarget(OpenFile open) {
        this.open = open;
    }

    /** Begins with a file, which the caller opens. */
    OpenFile begin(int targetIndex) {
        index = targetIndex;
        state = State.ACTIVE;
        errno = 0;
        sharedBytes = 0;
        return open;
    }

    OpenFile open() {
        return open;
    }

    /** Adds to the shared bytes of a file that is not shared whole. */
    void addShared(long bytes) {
        sharedBytes += bytes;
    }

    long sharedBytes() {
        return sharedBytes;
    }

    int index() {
        return index;
    }

    State state() {
        return state;
    }

    boolean isActive() {
        return state == State.ACTIVE;
    }

    void become(State other) {
        state = other;
    }

    void fail(int number) {
        state = State.FAILED;
        errno = number;
    }

    int errno() {
        return errno;
    }
}
