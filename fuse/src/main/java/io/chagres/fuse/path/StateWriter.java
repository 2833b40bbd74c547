package io.chagres.fuse.path;

import io.chagres.fuse.Attributes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Collects what is handed over with a mount, to be read by a {@link StateReader} in the same order. For one thread. */
final class StateWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream to = new DataOutputStream(bytes);

    /**
     * Begins.
     *
     * @param kind what follows, and in which version
     */
    StateWriter(long kind) throws IOException {
        number(kind);
    }

    void number(long value) throws IOException {
        to.writeLong(value);
    }

    void flag(boolean value) throws IOException {
        to.writeBoolean(value);
    }

    void text(String value) throws IOException {
        bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    void bytes(byte[] value) throws IOException {
        to.writeInt(value.length);
        to.write(value);
    }

    /** Adds all but the timeouts, which only the answer in progress has. */
    void attributes(Attributes values) throws IOException {
        number(values.ino());
        number(values.size());
        number(values.blocks());
        number(values.atimeNs());
        number(values.mtimeNs());
        number(values.ctimeNs());
        number(values.btimeNs());
        number(values.mode());
        number(values.nlink());
        number(values.uid());
        number(values.gid());
        number(values.rdev());
        number(values.blockSize());
        number(values.generation());
    }

    byte[] written() {
        return bytes.toByteArray();
    }
}
