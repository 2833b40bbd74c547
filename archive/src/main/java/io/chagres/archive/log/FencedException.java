package io.chagres.archive.log;

import java.io.IOException;

/** Says that another writer has taken over the log of this host, so this one must stop. */
public final class FencedException extends IOException {
    private static final long serialVersionUID = 1;

    private final String who;

    /** Makes an exception; {@code who} names the other writer. */
    public FencedException(String who) {
        super("fenced: another writer has taken over this host's log: " + who
                + ". This one stops; what it had not committed is still in the local files, and is shipped by the other"
                + " if it follows them, or by this one when it is started again. If both are meant to run, give each"
                + " its own --host");
        this.who = who;
    }

    /** Returns who the other writer is: host name, pid, machine and since when, as far as its commits tell. */
    public String who() {
        return who;
    }
}
