package io.chagres.ship;

import io.chagres.archive.LogRecord;
import java.io.IOException;

/** Says that another shipper ships to the same store under the same host name. */
public final class LockedException extends IOException {
    private static final long serialVersionUID = 1;

    private final long pid;
    private final boolean isElsewhere;

    LockedException(String lockPath, long pid) {
        super("another chagres ship (pid " + pid + ") already ships to this store under this host name; it holds "
                + lockPath + ". Stop it, or use another --state and --host");
        this.pid = pid;
        isElsewhere = false;
    }

    /** Another process writes into the log of this host, from another state directory. */
    LockedException(long pid, String hostName) {
        super("another chagres ship (pid " + pid + ") ships to this store as host " + hostName
                + ", with another --state. Give this one a --host of its own, or name all paths to that one");
        this.pid = pid;
        isElsewhere = false;
    }

    /** Another machine, or something that may be one, writes into the log of this host. */
    LockedException(String hostName, LogRecord.IncarnationOpened other, long silentMs, long leftMs) {
        super("another chagres ship (host " + other.hostName() + ", machine-id " + other.machineId() + ", boot "
                + other.bootId() + ", pid " + other.pid() + ") ships to this store as host " + hostName
                + " and was heard " + silentMs / 1000
                + " s ago. It continues undisturbed. If it is dead, start again in "
                + (leftMs / 1000 + 1) + " s, or now with --take-over; if not, give this one a --host of its own");
        pid = other.pid();
        isElsewhere = true;
    }

    /** Says whether the other is on another machine, or in a container, so that nobody here knows of both. */
    boolean isElsewhere() {
        return isElsewhere;
    }

    /** Returns the process id of the other shipper, or 0 when its lock does not say. */
    public long pid() {
        return pid;
    }
}
