package io.chagres.ship;

import io.chagres.foreign.call.CapturedCall;
import io.chagres.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes by io_submit(2), for which the kernel raises no event; {@code include/uapi/linux/aio_abi.h}. */
final class ModelAsync {
    private static final CapturedCall SYSCALL = CapturedCall.of("syscall");
    private static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));
    private static final int SETUP = AARCH64 ? 0 : 206;
    private static final int DESTROY = AARCH64 ? 1 : 207;
    private static final int SUBMIT = AARCH64 ? 2 : 209;
    private static final int GET_EVENTS = AARCH64 ? 4 : 208;
    private static final int IOCB_BYTES = 64;
    private static final int EVENT_BYTES = 32;
    private static final short PWRITE = 1;

    private ModelAsync() {}

    /** Writes bytes at a position; returns how many were written, or a negative number. */
    static long write(Fd fd, byte[] bytes, long position) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(bytes.length, 8);
            MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, bytes.length);
            MemorySegment context = arena.allocate(8, 8);
            MemorySegment block = arena.allocate(IOCB_BYTES, 8);
            block.set(ValueLayout.JAVA_SHORT, 16, PWRITE);
            block.set(ValueLayout.JAVA_INT, 20, fd.value());
            block.set(ValueLayout.JAVA_LONG, 24, data.address());
            block.set(ValueLayout.JAVA_LONG, 32, bytes.length);
            block.set(ValueLayout.JAVA_LONG, 40, position);
            MemorySegment blocks = arena.allocate(8, 8);
            blocks.set(ValueLayout.JAVA_LONG, 0, block.address());
            MemorySegment event = arena.allocate(EVENT_BYTES, 8);
            int made = SYSCALL.callInt(SETUP, 1, context.address());
            if (made < 0) {
                return made;
            }
            long id = context.get(ValueLayout.JAVA_LONG, 0);
            int submitted = SYSCALL.callInt(SUBMIT, id, 1, blocks.address());
            long done = submitted < 1 ? submitted : SYSCALL.callLong(event, GET_EVENTS, id, 1, 1, event.address(), 0);
            SYSCALL.callInt(DESTROY, id);
            return done < 1 ? done : event.get(ValueLayout.JAVA_LONG, 16);
        }
    }
}
