package io.chagres.linux;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Limits of this process, see getrlimit(2). Safe for any thread. */
public final class ResourceLimit {
    private static final int RLIMIT_NOFILE = 7;
    private static final int RLIMIT_BYTES = 16;
    private static final CapturedCall GETRLIMIT = CapturedCall.of("getrlimit");
    private static final CapturedCall SETRLIMIT = CapturedCall.of("setrlimit");

    private ResourceLimit() {}

    /**
     * Returns how many files this process may open.
     *
     * @return the soft limit of descriptors; Long.MAX_VALUE if there is none
     */
    public static long openFilesSoft() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return limit(openFiles(frame), 0);
        }
    }

    /**
     * Returns how far this process may raise its limit.
     *
     * @return the hard limit of descriptors; Long.MAX_VALUE if there is none
     */
    public static long openFilesHard() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return limit(openFiles(frame), 8);
        }
    }

    /**
     * Raises the soft limit of descriptors to the hard limit, if the kernel lets it. Children inherit it.
     *
     * @return the soft limit in force now
     */
    public static long raiseOpenFiles() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment limits = openFiles(frame);
            limits.set(ValueLayout.JAVA_LONG, 0, limits.get(ValueLayout.JAVA_LONG, 8));
            SETRLIMIT.callInt(RLIMIT_NOFILE, limits.address());
        }
        return openFilesSoft();
    }

    private static MemorySegment openFiles(Frame frame) {
        MemorySegment limits = frame.allocate(RLIMIT_BYTES, 8);
        int result = GETRLIMIT.callInt(RLIMIT_NOFILE, limits.address());
        assert result == 0 : "getrlimit fails only for a bad address or resource: " + result;
        return limits;
    }

    /** RLIM_INFINITY has all bits set. */
    private static long limit(MemorySegment limits, long offset) {
        long value = limits.get(ValueLayout.JAVA_LONG, offset);
        return value < 0 ? Long.MAX_VALUE : value;
    }
}
