package io.chagres.ship.file;

/**
 * The watch over a file since it lost its last name: it ends when no writer has it open and all of it was read,
 * twice in a row. Confined to the shipper's thread.
 */
public final class Unlinked {
    private long restedSinceMs;
    private long restedAt = -1;
    private boolean over;
    private long overSinceMs;
    private boolean letGo;
    private boolean lastLook;

    /** Returns for how long nothing was read, in milliseconds. */
    public long restedMs(long position, long nowMs) {
        if (position != restedAt) {
            restedAt = position;
            restedSinceMs = nowMs;
        }
        return nowMs - restedSinceMs;
    }

    /** Notes that it is where it was, and no longer followed: its present bytes are shipped, and that is all. */
    void letGo() {
        letGo = true;
    }

    /** Says whether it is no longer followed. */
    public boolean isLetGo() {
        return letGo;
    }

    /** Notes a look at it, and whether it showed no writer and nothing new. */
    public void looked(boolean showsEnd, long nowMs) {
        if (showsEnd && !over) {
            overSinceMs = nowMs;
        }
        lastLook = showsEnd && over;
        over = showsEnd;
    }

    /** Says whether nobody can change the file any longer: it is as it was at the look before. */
    public boolean isLastLook() {
        return lastLook;
    }

    /** Returns since when no look showed a writer or anything new, in milliseconds of the shipper's clock. */
    public long overSinceMs() {
        return overSinceMs;
    }
}
