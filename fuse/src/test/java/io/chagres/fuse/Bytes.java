package io.chagres.fuse;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Builds messages field by field, as a C compiler lays them out, independently of the code under test. */
final class Bytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static Bytes none() {
        return new Bytes();
    }

    Bytes u16(int value) {
        out.writeBytes(ByteBuffer.allocate(2).order(ByteOrder.nativeOrder()).putShort((short) value).array());
        return this;
    }

    Bytes u32(int value) {
        out.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value).array());
        return this;
    }

    Bytes u64(long value) {
        out.writeBytes(ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(value).array());
        return this;
    }

    Bytes text(String value) {
        out.writeBytes(value.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    Bytes name(String value) {
        text(value);
        out.write(0);
        return this;
    }

    Bytes zeros(int count) {
        out.writeBytes(new byte[count]);
        return this;
    }

    byte[] array() {
        return out.toByteArray();
    }

    /** Puts struct fuse_in_header before what was built. */
    byte[] request(int opcode, long unique, long node) {
        return none().u32(40 + out.size())
                .u32(opcode)
                .u64(unique)
                .u64(node)
                .u32(1000)
                .u32(100)
                .u32(4711)
                .u16(0)
                .u16(0)
                .bytes(array())
                .array();
    }

    Bytes bytes(byte[] value) {
        out.writeBytes(value);
        return this;
    }
}
