package io.chagres.linux;

import io.chagres.foreign.call.CapturedCall;

/** Sends signals to other processes, see signal(7). Stateless, safe for any thread. */
public final class Signals {
    /** A signal without a meaning of its own; it ends a process that does not handle it. */
    public static final int SIGUSR1 = 10;

    private static final CapturedCall KILL = CapturedCall.of("kill");

    private Signals() {}

    /**
     * Sends a signal, see kill(2).
     *
     * @param pid a process, greater than 0
     * @param signal its number; 0 only asks whether it could be sent
     * @return 0, or {@code -errno}: ESRCH if there is no such process, EPERM if it belongs to somebody else
     */
    public static int trySend(long pid, int signal) {
        if (pid <= 0) {
            throw new IllegalArgumentException("a process id is greater than 0, not " + pid);
        }
        return KILL.callInt(pid, signal);
    }
}
