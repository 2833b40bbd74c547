package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Shows what a program sees of a kernel that refuses: opens a ring, and reads the given file in a batch. */
public final class IoUringProgram {
    private IoUringProgram() {}

    /** Prints one line on each. */
    public static void main(String[] args) throws ErrnoException {
        try (Fd file = Fd.open(Pathname.of(args[0]), Fd.O_RDONLY, 0);
                BatchReader reader = BatchReader.open(4);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(8);
            for (int i = 0; i < 4; i++) {
                reader.add(file.value(), buffer, i, 1, i);
            }
            reader.read();
            System.out.println(reader.isBatched() + " " + new String(buffer.toArray(ValueLayout.JAVA_BYTE), 0, 4));
        }
        try (IoUring ring = IoUring.open(4)) {
            System.out.println("fd " + (ring.fd() >= 0));
        } catch (ErrnoException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(IoUring.isSupported());
    }
}
