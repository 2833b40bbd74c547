package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads what a {@link StateWriter} wrote; EPROTO if it is anything else. For one thread. */
final class StateReader {
    private final ByteBuffer from;

    /**
     * Begins.
     *
     * @param state read only
     * @param kind what it must be
     */
    StateReader(byte[] state, long kind) throws ErrnoException {
        from = ByteBuffer.wrap(state);
        if (number() != kind) {
            throw malformed("of another kind or version");
        }
    }

    static ErrnoException malformed(String what) {
        return new ErrnoException("take over", Errno.EPROTO, "a state that is " + what);
    }

    long number() throws ErrnoException {
        try {
            return from.getLong();
        } catch (BufferUnderflowException e) {
            throw cutOff();
        }
    }

    /** Reads a count of what follows, or an index: 0 or more. */
    int count() throws ErrnoException {
        long value = number();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw malformed("damaged");
        }
        return (int) value;
    }

    boolean flag() throws ErrnoException {
        try {
            return from.get() != 0;
        } catch (BufferUnderflowException e) {
            throw cutOff();
        }
    }

    String text() throws ErrnoException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    byte[] bytes() throws ErrnoException {
        try {
            int length = from.getInt();
            if (length < 0 || length > from.remaining()) {
                throw cutOff();
            }
            byte[] bytes = new byte[length];
            from.get(bytes);
            return bytes;
        } catch (BufferUnderflowException e) {
            throw cutOff();
        }
    }

    Attributes attributes() throws ErrnoException {
        return new Attributes()
                .ino(number())
                .size(number())
                .blocks(number())
                .atimeNs(number())
                .mtimeNs(number())
                .ctimeNs(number())
                .btimeNs(number())
                .mode((int) number())
                .nlink((int) number())
                .uid((int) number())
                .gid((int) number())
                .rdev((int) number())
                .blockSize((int) number())
                .generation(number());
    }

    /** Makes sure that nothing follows. */
    void end() throws ErrnoException {
        if (from.hasRemaining()) {
            throw malformed("longer than it should be");
        }
    }

    private static ErrnoException cutOff() {
        return malformed("cut off");
    }
}
