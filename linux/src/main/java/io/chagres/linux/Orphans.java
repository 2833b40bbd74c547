package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Takes in the children of children that have ended, which would go to init otherwise, see
 * PR_SET_CHILD_SUBREAPER(2const). Safe for any thread.
 */
public final class Orphans {
    private static final CapturedCall PRCTL = CapturedCall.of("prctl");
    private static final CapturedCall WAITID = CapturedCall.of("waitid");
    private static final int PR_SET_CHILD_SUBREAPER = 36;
    private static final int P_ALL = 0;
    private static final int P_PID = 1;
    private static final int WNOHANG = 1;
    private static final int WEXITED = 4;
    private static final int WNOWAIT = 0x0100_0000;
    private static final int SIGINFO_BYTES = 128;

    /** si_pid, see {@code include/uapi/asm-generic/siginfo.h}. */
    private static final int SI_PID = 16;

    private Orphans() {}

    /**
     * Makes this process the parent of whatever its descendants leave behind from now on. It must {@link #reap} them.
     *
     * @throws ErrnoException never by a kernel of today
     */
    public static void adopt() throws ErrnoException {
        int result = PRCTL.callInt(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        if (result < 0) {
            throw new ErrnoException("prctl", -result, "PR_SET_CHILD_SUBREAPER");
        }
    }

    /**
     * Lets go of those that have ended; does not wait.
     *
     * @param own a child that somebody else waits for, whose end stays to be seen
     */
    public static void reap(long own) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment info = frame.allocate(SIGINFO_BYTES, Long.BYTES);
            while (wait(info, P_ALL, 0, WNOWAIT) == 0) {
                int ended = info.get(ValueLayout.JAVA_INT, SI_PID);
                if (ended == 0 || ended == own || wait(info, P_PID, ended, 0) != 0) {
                    return;
                }
            }
        }
    }

    private static int wait(MemorySegment info, int kind, int pid, int options) {
        info.set(ValueLayout.JAVA_INT, SI_PID, 0);
        return WAITID.callInt(kind, pid, info.address(), WEXITED | WNOHANG | options);
    }
}
