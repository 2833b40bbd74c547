package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Two connected stream sockets, see socketpair(2). */
record SocketPair(Fd left, Fd right) implements AutoCloseable {
    private static final CapturedCall SOCKETPAIR = CapturedCall.of("socketpair");
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;

    static SocketPair open() throws ErrnoException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment ends = call.allocate(8, 4);
            int result = SOCKETPAIR.callInt(AF_UNIX, SOCK_STREAM | Fd.O_NONBLOCK, 0, ends.address());
            if (result < 0) {
                throw new ErrnoException("socketpair", -result, "");
            }
            return new SocketPair(
                    Fd.ofValue(ends.get(ValueLayout.JAVA_INT, 0)), Fd.ofValue(ends.get(ValueLayout.JAVA_INT, 4)));
        }
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }
}
