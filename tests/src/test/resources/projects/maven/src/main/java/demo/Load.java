package demo;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.HotCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Calls C. */
public final class Load {
    private static final HotCall GETLOADAVG = HotCall.of("getloadavg");

    private Load() {}

    public static void main(String[] args) {
        System.out.println("load " + lastMinute());
    }

    static double lastMinute() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment averages = frame.allocate(ValueLayout.JAVA_DOUBLE, 3);
            int n = GETLOADAVG.callInt(averages, averages.address(), 3, 0, 0, 0);
            return n < 1 ? Double.NaN : averages.get(ValueLayout.JAVA_DOUBLE, 0);
        }
    }
}
