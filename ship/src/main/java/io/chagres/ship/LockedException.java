package io.chagres.ship;

import java.io.IOException;

/** Says that another shipper on this machine ships to the same store under the same host name. */
public final class LockedException extends IOException {
    private static final long serialVersionUID = 1;

    private final long pid;

    LockedException(String lockPath, long pid) {
        super("another chagres ship (pid " + pid + ") already ships to this store under this host name; it holds "
                + lockPath + ". Stop it, or use another --state and --host");
        this.pid = pid;
    }

    /** Another process writes into the log of this host, from another state directory. */
    LockedException(long pid, String hostName) {
        super("another chagres ship (pid " + pid + ") ships to this store as host " + hostName
                + ", with another --state. Give this one a --host of its own, or name all paths to that one");
        this.pid = pid;
    }

    /** Returns the process id of the other shipper, or 0 when its lock does not say. */
    public long pid() {
        return pid;
    }
}
