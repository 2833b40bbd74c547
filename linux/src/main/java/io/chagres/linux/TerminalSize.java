package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** How large a terminal is, see ioctl_tty(2). Stateless, safe for any thread. */
public final class TerminalSize {
    /** {@code TIOCGWINSZ} of {@code asm-generic/ioctls.h}. */
    private static final long TIOCGWINSZ = 0x5413;

    private static final int BYTES = 8; // struct winsize: rows, columns, and two that are not used
    private static final int COLUMNS = 2;

    private TerminalSize() {}

    /**
     * Returns the columns of a terminal.
     *
     * @param fd an open descriptor
     * @return 0 when it is none, or does not know
     */
    public static int columns(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(BYTES, 8);
            int result = StatusCalls.ioctl(fd, TIOCGWINSZ, size);
            return result < 0 ? 0 : Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, COLUMNS));
        }
    }
}
