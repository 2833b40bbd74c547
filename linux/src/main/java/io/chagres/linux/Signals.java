package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.CapturedCall;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Sends signals to other processes and to threads of this one, see signal(7). Stateless, safe for any thread. */
public final class Signals {
    /** Hangup; a daemon reads its configuration again. */
    public static final int SIGHUP = 1;

    /** A signal without a meaning of its own; it ends a process that does not handle it. */
    public static final int SIGUSR1 = 10;

    private static final CapturedCall KILL = CapturedCall.of("kill");
    private static final CapturedCall GETTID = CapturedCall.of("gettid");
    private static final CapturedCall TGKILL = CapturedCall.of("tgkill");

    /** The JDK interrupts system calls of its threads with it, by a handler that does nothing: SIGRTMAX - 2. */
    private static final int INTERRUPT = 62;

    /** The class that installs it. */
    private static final String INSTALLER = "sun.nio.ch.NativeThread";

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

    /**
     * Returns the number of the calling thread, see gettid(2).
     *
     * @return for {@link #tryInterrupt}
     */
    public static int thread() {
        return GETTID.callInt();
    }

    /**
     * Has a system call of a thread of this process that waits return EINTR. A call that begins later is not met: ask
     * again to reach it. The signal is the one with which the JDK does the same.
     *
     * @param thread its {@link #thread()}
     * @return 0, or {@code -errno}: -ESRCH if it has ended, -EOPNOTSUPP if this JDK does not handle that signal
     */
    public static int tryInterrupt(int thread) {
        return IsHandled.YES ? TGKILL.callInt(ProcessHandle.current().pid(), thread, INTERRUPT) : -Errno.EOPNOTSUPP;
    }

    /**
     * Reads as {@link Fd#read}, but ends with a signal.
     *
     * @param fd what to read
     * @param buffer where to
     * @param offset in the buffer, bytes
     * @param length how many bytes at most
     * @return the bytes read, 0 at the end, or {@code -errno}; -EINTR if a signal came before anything was read
     */
    public static long read(Fd fd, MemorySegment buffer, long offset, long length) {
        return FileCalls.readUntilSignal(fd.value(), buffer, offset, length);
    }

    /** Found out once: a signal that nobody handles would end the process. */
    private static final class IsHandled {
        static final boolean YES = isCaught();

        private static boolean isCaught() {
            try {
                Class.forName(INSTALLER, true, null);
                byte[] status = ProcFile.read(Pathname.of("/proc/self/status"));
                for (String line : new String(status, StandardCharsets.US_ASCII).split("\n")) {
                    if (line.startsWith("SigCgt:")) {
                        return (Long.parseUnsignedLong(line.substring(7).strip(), 16) >>> (INTERRUPT - 1) & 1) != 0;
                    }
                }
                return false;
            } catch (ClassNotFoundException | IOException | NumberFormatException e) {
                return false;
            }
        }
    }
}
