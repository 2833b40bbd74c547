package io.chagres.linux;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Shows what a program sees of a kernel that refuses: opens a ring, and reads the given file. */
public final class IoUringProgram {
    private static final int TRIES = 10;

    private IoUringProgram() {}

    /** Prints one line on each. */
    public static void main(String[] args) throws ErrnoException {
        try (Fd file = Fd.open(Pathname.of(args[0]), Fd.O_RDONLY, 0);
                IoUring ring = IoUring.open(4);
                Arena arena = Arena.ofConfined()) {
            System.out.println("fd " + (ring.fd() >= 0));
            System.out.println(read(ring, file, arena.allocate(4)));
        } catch (ErrnoException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(IoUring.isSupported());
    }

    /** Submits until the kernel takes it, or has refused it often. */
    private static String read(IoUring ring, Fd file, MemorySegment buffer) {
        ring.next().read(file.value(), buffer, 0, 4, 0);
        int submitted = 0;
        for (int i = 0; i < TRIES; i++) {
            submitted = ring.submitAndWait(1, -1);
            if (ring.completions().next()) {
                return ring.completions().result() + " " + new String(buffer.toArray(ValueLayout.JAVA_BYTE), US_ASCII);
            }
        }
        return "refused: " + Errno.name(-submitted);
    }
}
