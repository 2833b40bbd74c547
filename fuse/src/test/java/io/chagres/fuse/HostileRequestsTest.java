package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Opcode;
import io.chagres.testkit.Fuzz;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests that no kernel sends: of any opcode and length, with offsets, sizes, counts and names that are not there.
 * Each is answered at most once, in the form of an answer; its faults count as the request's.
 */
@Tag("long")
class HostileRequestsTest implements Fuzz.Target {
    private static final int HEADER_BYTES = 40;
    private static final long[] EDGES = {
        0,
        1,
        -1,
        7,
        8,
        255,
        256,
        4096,
        8192,
        8193,
        65_536,
        131_072,
        1 << 20,
        Integer.MAX_VALUE,
        1L << 31,
        1L << 32,
        1L << 62,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    /** Uses all it is given, and all the room there is for an answer. */
    private static final class Thorough implements FuseFileSystem {
        /** Fills what was asked for, as far as a kernel may ask. */
        private static long filled(MemorySegment buffer, long offset, int capacity) {
            assertThat(capacity).isNotNegative();
            long length = Math.min(capacity, buffer.byteSize() - offset);
            buffer.asSlice(offset, length).fill((byte) 1);
            return length;
        }

        @Override
        public void lookup(Request request, long parent, Name name, EntryReply reply) {
            assertThat(name.bytes()).hasSize(name.length());
            reply.error(Errno.ENOENT);
        }

        @Override
        public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
            assertThat(name.bytes().length + target.bytes().length).isEqualTo(name.length() + target.length());
            reply.entry(42, RecordingFileSystem.SOME);
        }

        @Override
        public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
            reply.filled(filled(reply.buffer(), reply.offset(), reply.capacity()));
        }

        @Override
        public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
            reply.written(data.bytes().length);
        }

        @Override
        public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
            assertThat(value.bytes().length + name.bytes().length).isNotNegative();
            reply.done();
        }

        @Override
        public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
            reply.filled(filled(reply.buffer(), reply.offset(), reply.capacity()));
        }

        @Override
        public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
            long next = position;
            while (reply.add(new byte[] {'n'}, 1, DirectoryReply.DT_REG, ++next)) {
                assertThat(next - position).isLessThan(1 << 20);
            }
            reply.done();
        }

        @Override
        public void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
            reply.result(call.input().bytes().length, new byte[Math.clamp(call.outputLength(), 0, 100)]);
        }
    }

    /** Held, so that it stays silent: the faults of all requests would fill the log of the test. */
    private @Nullable Object logger;

    /** The module of the JDK's loggers is not one that this one reads. */
    @BeforeEach
    void silence() throws ReflectiveOperationException {
        Class<?> loggers = Class.forName("java.util.logging.Logger");
        Class<?> levels = Class.forName("java.util.logging.Level");
        logger = loggers.getMethod("getLogger", String.class).invoke(null, "io.chagres.fuse");
        loggers.getMethod("setLevel", levels)
                .invoke(logger, levels.getField("OFF").get(null));
    }

    @AfterEach
    void speak() throws ReflectiveOperationException {
        Class<?> levels = Class.forName("java.util.logging.Level");
        Class.forName("java.util.logging.Logger").getMethod("setLevel", levels).invoke(logger, (Object) null);
    }

    @Test
    void answersOrSaysThatTheRequestIsWrong() throws Exception {
        Fuzz.run(HostileRequestsTest.class, this);
    }

    /** Makes some requests, one after the other, each behind its length: 4 bytes, little endian. */
    @Override
    public byte[] make(RandomGenerator random) {
        ByteBuffer all = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        for (int requests = random.nextInt(1, 40); requests > 0; requests--) {
            byte[] request = request(random);
            if (random.nextInt(10) == 0) {
                request = Arrays.copyOf(request, random.nextInt(request.length + 1));
            }
            all.putInt(request.length).put(request);
        }
        byte[] input = new byte[all.position()];
        all.flip().get(input);
        return input;
    }

    private static byte[] request(RandomGenerator random) {
        int opcode = random.nextInt(40) == 0 ? random.nextInt() : random.nextInt(Opcode.COUNT + 2);
        int argumentBytes = Operations.argumentBytes(opcode, random.nextBoolean());
        Bytes body = Bytes.none();
        for (int i = 0; i < argumentBytes; i += 4) {
            boolean wide = i % 8 == 0 && i + 8 <= argumentBytes && random.nextBoolean();
            long value = random.nextInt(3) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(64);
            if (wide) {
                body.u64(value);
                i += 4;
            } else {
                body.u32((int) value);
            }
        }
        for (int names = random.nextInt(4); names > 0; names--) {
            String name = "n".repeat(random.nextInt(5) == 0 ? random.nextInt(5000) : random.nextInt(10));
            if (random.nextInt(8) == 0) {
                body.text(name); // its end is missing
            } else {
                body.name(random.nextInt(4) == 0 ? "../" + name : name);
            }
        }
        byte[] request = body.request(opcode, random.nextInt(1, 1000), EDGES[random.nextInt(EDGES.length)]);
        if (random.nextInt(5) == 0) { // the length, or that of the extensions
            ByteBuffer header = ByteBuffer.wrap(request).order(ByteOrder.nativeOrder());
            header.putInt(0, random.nextInt());
            header.putShort(36, (short) random.nextInt(-10, 2000));
        }
        return request;
    }

    @Override
    public void check(byte[] input) {
        try (FakeKernel kernel = FakeKernel.started(new Thorough(), FuseOptions.DEFAULTS)) {
            ByteBuffer requests = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
            while (requests.remaining() > 4) {
                byte[] request = new byte[Math.min(requests.getInt(), requests.remaining())];
                requests.get(request);
                kernel.device.answers.clear();
                kernel.device.requests.add(request);
                int served = kernel.serveOne();
                if (served < 0) {
                    assertThat(request.length).as("what ends a thread").isLessThan(HEADER_BYTES);
                }
                assertThat(kernel.device.answers.size()).isLessThanOrEqualTo(1);
                for (byte[] answer : kernel.device.answers) {
                    assertThat(new FakeKernel.Answer(answer).length()).isEqualTo(answer.length);
                }
            }
            assertThat(kernel.session.statistics().failures()).isZero();
        }
    }
}
