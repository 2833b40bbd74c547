package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FakeKernel.Answer;
import io.chagres.fuse.wire.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that writes wherever it is let spoils its own answer at most, never which request it answers. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
class ReplyMemoryTest {
    private static final byte GARBAGE = (byte) 0xff;

    private final FuseTransport transport;

    ReplyMemoryTest(FuseTransport transport) {
        this.transport = transport;
    }

    /** Writes into all memory it gets before it answers. */
    private static final class Scribbling implements FuseFileSystem {
        private static void checkReadOnly(MemorySegment memory) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> memory.set(ValueLayout.JAVA_BYTE, 0, GARBAGE));
        }

        @Override
        public void lookup(Request request, long parent, Name name, EntryReply reply) {
            checkReadOnly(name.segment());
            reply.error(Errno.ENOENT);
        }

        @Override
        public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
            reply.buffer().fill(GARBAGE);
            reply.filled(reply.capacity());
        }

        @Override
        public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
            checkReadOnly(data.segment());
            reply.written(data.length());
        }

        @Override
        public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
            checkReadOnly(name.segment());
            reply.buffer().fill(GARBAGE);
            reply.filled(reply.capacity());
        }

        @Override
        public void listxattr(Request request, long node, int size, XattrNamesReply reply) {
            reply.buffer().fill(GARBAGE);
            reply.filled(reply.capacity());
        }

        @Override
        public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
            checkReadOnly(name.segment());
            checkReadOnly(value.segment());
            reply.done();
        }

        @Override
        public void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
            checkReadOnly(call.input().segment());
            reply.error(Errno.ENOTTY);
        }
    }

    private Answer call(int opcode, Bytes arguments) {
        try (FakeKernel kernel = FakeKernel.started(new Scribbling(), FuseOptions.DEFAULTS.withTransport(transport))) {
            Answer answer = kernel.call(opcode, 5, arguments);
            assertThat(answer.unique()).isEqualTo(kernel.lastUnique());
            assertThat(kernel.session.statistics().failures()).isZero();
            return answer;
        }
    }

    private static void checkGarbage(Answer answer, int length) {
        assertThat(answer.error()).isZero();
        assertThat(answer.body()).hasSize(length).containsOnly(GARBAGE);
    }

    @Test
    void ofReads() {
        checkGarbage(call(Opcode.READ, Bytes.none().u64(7).u64(0).u32(4096).zeros(20)), 4096);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 26, 27, 28, 255})
    void ofAttributes(int nameLength) {
        String name = "n".repeat(nameLength);
        checkGarbage(call(Opcode.GETXATTR, Bytes.none().u32(100).u32(0).name(name)), 100);
    }

    @Test
    void ofNamesOfAttributes() {
        checkGarbage(call(Opcode.LISTXATTR, Bytes.none().u32(100).u32(0)), 100);
    }

    @Test
    void ofNames() {
        assertThat(call(Opcode.LOOKUP, Bytes.none().name("name")).error()).isEqualTo(Errno.ENOENT);
    }

    @Test
    void ofData() {
        Answer answer = call(
                Opcode.WRITE, Bytes.none().u64(7).u64(0).u32(4096).zeros(20).zeros(4096));
        assertThat(answer.error()).isZero();
        assertThat(answer.u32(0)).isEqualTo(4096);
    }

    @Test
    void ofValues() {
        Bytes value = Bytes.none().u32(3).u32(0).u32(0).u32(0).name("user.name").text("abc");
        assertThat(call(Opcode.SETXATTR, value).error()).isZero();
    }

    @Test
    void ofArguments() {
        Bytes argument =
                Bytes.none().u64(7).u32(0).u32(0x1234).u64(0).u32(8).u32(8).u64(1);
        assertThat(call(Opcode.IOCTL, argument).error()).isEqualTo(Errno.ENOTTY);
    }
}
