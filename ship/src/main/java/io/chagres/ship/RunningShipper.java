package io.chagres.ship;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.linux.Signals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Speaks to a shipper that runs in another process of this machine. Immutable. */
public final class RunningShipper {
    private final Pathname directory;
    private final long pid;

    private RunningShipper(Pathname directory, long pid) {
        this.directory = directory;
        this.pid = pid;
    }

    /**
     * Finds the shippers that hold locks below a state directory.
     *
     * @param stateDirectory the one they were started with
     * @return one for each store and host name; empty when none runs, or there is no such directory
     * @throws IOException when the directory cannot be read; {@code errno()} tells why
     */
    public static List<RunningShipper> find(Pathname stateDirectory) throws IOException {
        List<RunningShipper> found = new ArrayList<>();
        try (Directory states = Directory.open(stateDirectory)) {
            while (states.next()) {
                Pathname directory = stateDirectory.resolve(states.name());
                long pid = StateDirectory.holder(directory);
                if (pid > 0) {
                    found.add(new RunningShipper(directory, pid));
                }
            }
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
        return found;
    }

    /** Returns its process id. */
    public long pid() {
        return pid;
    }

    /** Says whether it still runs. */
    public boolean runs() throws IOException {
        return StateDirectory.holder(directory) == pid;
    }

    /** Returns what it says about flushes. */
    public FlushAnswer answer() throws IOException {
        return StateDirectory.answer(directory);
    }

    /**
     * Asks it to commit everything at once.
     *
     * @throws ErrnoException EPERM if it belongs to another user, ESRCH if it has ended
     */
    public void requestFlush() throws ErrnoException {
        int sent = Signals.trySend(pid, Signals.SIGUSR1);
        if (sent < 0) {
            throw new ErrnoException("kill", -sent, "process " + pid);
        }
    }
}
