package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The processors that a thread runs on, see sched_setaffinity(2). Stateless, safe for any thread. */
public final class CpuAffinity {
    private static final CapturedCall GET = CapturedCall.of("sched_getaffinity");
    private static final CapturedCall SET = CapturedCall.of("sched_setaffinity");

    private static final String POSSIBLE = "/sys/devices/system/cpu/possible";

    /** One bit a processor; the kernel ignores those it has not. */
    private static final int MASK_BYTES = 1024;

    private static final int CALLING_THREAD = 0;

    private CpuAffinity() {}

    /**
     * Counts the processors that this machine can ever have, plugged in or not; {@code num_possible_cpus()} of the
     * kernel.
     *
     * @return 1 or more; 0 where sysfs does not say
     */
    public static int possible() {
        return count(Machine.read(POSSIBLE));
    }

    /**
     * Lets the calling thread run on one processor only, if it was allowed to run there: a user who confined this
     * process to others, as taskset(1) does, had a reason. To be called on a platform thread.
     *
     * @param cpu the number of the processor, 0 or more
     * @return 0, or {@code -errno}; -EINVAL if the thread may not run there, or there is no such processor
     */
    public static int tryPin(int cpu) {
        int at = cpu / Byte.SIZE;
        byte bit = (byte) (1 << cpu % Byte.SIZE);
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment mask = frame.allocate(MASK_BYTES, Long.BYTES).fill((byte) 0);
            int result = GET.callInt(CALLING_THREAD, MASK_BYTES, mask.address());
            if (result < 0) {
                return result;
            }
            if (at >= MASK_BYTES || (mask.get(ValueLayout.JAVA_BYTE, at) & bit) == 0) {
                return -Errno.EINVAL;
            }
            mask.fill((byte) 0).set(ValueLayout.JAVA_BYTE, at, bit);
            return SET.callInt(CALLING_THREAD, MASK_BYTES, mask.address());
        }
    }

    /** Counts the members of a list such as {@code 0-3,8,10-11}. */
    static int count(String list) {
        int count = 0;
        try {
            for (String range : list.split(",")) {
                int dash = range.indexOf('-');
                int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
                int last = Integer.parseInt(range.substring(dash + 1));
                count += last - first + 1;
            }
            return count;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
