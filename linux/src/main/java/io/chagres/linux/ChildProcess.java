package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/**
 * A program started with descriptors of ours, which {@link ProcessBuilder} cannot pass, see posix_spawn(3). Its other
 * descriptors are those that do not close on exec. Confined to one thread.
 */
public final class ChildProcess {
    private static final CapturedCall SPAWN = CapturedCall.of("posix_spawn");
    private static final CapturedCall ACTIONS_INIT = CapturedCall.of("posix_spawn_file_actions_init");
    private static final CapturedCall ACTIONS_DESTROY = CapturedCall.of("posix_spawn_file_actions_destroy");
    private static final CapturedCall ADD_DUP2 = CapturedCall.of("posix_spawn_file_actions_adddup2");
    private static final CapturedCall WAITPID = CapturedCall.of("waitpid");

    /** More than posix_spawn_file_actions_t has on any architecture. */
    private static final int ACTIONS_BYTES = 256;

    private final int pid;

    private ChildProcess(int pid) {
        this.pid = pid;
    }

    /**
     * Starts a program.
     *
     * @param program its file
     * @param arguments what it is given, the first being its own name
     * @param environment {@code NAME=value}, all it gets
     * @param descriptors which of ours it gets under which numbers; borrowed
     * @return the child; {@link #await()} must be called once
     * @throws ErrnoException ENOENT if there is no such program, or whatever posix_spawn(3) says
     */
    public static ChildProcess start(
            Pathname program, List<Pathname> arguments, List<Pathname> environment, Map<Integer, Fd> descriptors)
            throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment actions = frame.allocate(ACTIONS_BYTES, Long.BYTES);
            check(ACTIONS_INIT.callInt(actions.address()), program);
            try {
                for (Map.Entry<Integer, Fd> entry : descriptors.entrySet()) {
                    int fd = entry.getValue().value();
                    check(ADD_DUP2.callInt(actions.address(), fd, entry.getKey()), program);
                }
                MemorySegment pid = frame.allocate(ValueLayout.JAVA_INT);
                long path = program.toCString(frame).address();
                long argv = strings(arguments, frame).address();
                long envp = strings(environment, frame).address();
                check((int) SPAWN.callLong(pid, pid.address(), path, actions.address(), 0, argv, envp), program);
                return new ChildProcess(pid.get(ValueLayout.JAVA_INT, 0));
            } finally {
                ACTIONS_DESTROY.callInt(actions.address());
            }
        }
    }

    /**
     * Waits for its end, see waitpid(2).
     *
     * @return its exit code, or 128 and the signal that ended it
     * @throws ErrnoException ECHILD if somebody else waited for it
     */
    public int await() throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment status = frame.allocate(ValueLayout.JAVA_INT);
            int result;
            do {
                result = WAITPID.callInt(pid, status.address(), 0);
            } while (result == -Errno.EINTR);
            if (result < 0) {
                throw new ErrnoException("waitpid", -result, "process " + pid);
            }
            int ended = status.get(ValueLayout.JAVA_INT, 0);
            return (ended & 0x7f) == 0 ? ended >> 8 & 0xff : 128 + (ended & 0x7f);
        }
    }

    private static MemorySegment strings(List<Pathname> values, SegmentAllocator allocator) {
        MemorySegment array = allocator.allocate((values.size() + 1L) * Long.BYTES, Long.BYTES);
        for (int i = 0; i < values.size(); i++) {
            array.setAtIndex(
                    ValueLayout.JAVA_LONG, i, values.get(i).toCString(allocator).address());
        }
        array.setAtIndex(ValueLayout.JAVA_LONG, values.size(), 0);
        return array;
    }

    /** These functions return their error number instead of setting errno. */
    private static void check(int errno, Pathname program) throws ErrnoException {
        if (errno != 0) {
            throw new ErrnoException("posix_spawn", Math.abs(errno), program.toString());
        }
    }
}
