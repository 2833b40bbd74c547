package io.chagres.linux;

import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads and raises the number of descriptors a process may have ({@code prlimit(2)}, RLIMIT_NOFILE). Stateless. */
public final class ResourceLimit {
    private static final int RLIMIT_NOFILE = 7;

    private ResourceLimit() {}

    /** Returns how many descriptors the process may have now. */
    public static long openFilesSoft() {
        return get(0);
    }

    /** Returns how many descriptors the process may allow itself. */
    public static long openFilesHard() {
        return get(8);
    }

    /** Allows as many descriptors as the hard limit does and returns how many that are. */
    public static long raiseOpenFiles() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            long hard = openFilesHard();
            limit.set(ValueLayout.JAVA_LONG, 0, hard);
            limit.set(ValueLayout.JAVA_LONG, 8, hard);
            SystemCall.once(Nr.PRLIMIT64, 0, RLIMIT_NOFILE, limit.address(), 0, 0, 0);
            return openFilesSoft();
        }
    }

    private static long get(long offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            SystemCall.once(Nr.PRLIMIT64, 0, RLIMIT_NOFILE, 0, limit.address(), 0, 0);
            return limit.get(ValueLayout.JAVA_LONG, offset);
        }
    }
}
