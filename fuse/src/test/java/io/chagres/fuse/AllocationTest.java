package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Opcode;
import io.chagres.linux.IoVector;
import io.chagres.linux.MonotonicClock;
import io.chagres.testkit.Allocations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Serving a request makes no object, over either transport. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
class AllocationTest {
    private static final int REQUESTS_A_ROUND = 200;

    /** Answers from memory that it has. */
    private static final class Fixed implements FuseFileSystem {
        private final byte[] name = "some-name".getBytes(StandardCharsets.UTF_8);
        private final Attributes attributes = new Attributes().file(0644, 4096);

        @Override
        public void lookup(Request request, long parent, Name asked, EntryReply reply) {
            if (asked.is(name)) {
                reply.entry(5, attributes);
            } else {
                reply.error(Errno.ENOENT);
            }
        }

        @Override
        public void getattr(Request request, long node, long handle, AttributesReply reply) {
            reply.attributes(attributes);
        }

        @Override
        public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
            for (int i = 0; i < size; i += 8) {
                reply.buffer().set(ValueLayout.JAVA_LONG_UNALIGNED, reply.offset() + i, position);
            }
            reply.filled(size);
        }

        @Override
        public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
            reply.written(data.length());
        }

        @Override
        public void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
            for (long next = 1; reply.add(name, 5 + next, attributes, next); next++) {
                assert next < 1000;
            }
            reply.done();
        }
    }

    /** Gives one request again and again and keeps no answer. */
    private static final class Repeating implements Device {
        private final MemorySegment request;

        private Repeating(byte[] bytes, Arena arena) {
            request = arena.allocate(bytes.length, 8);
            MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
        }

        @Override
        public long read(MemorySegment buffer, long offset, long length) {
            MemorySegment.copy(request, 0, buffer, offset, request.byteSize());
            return request.byteSize();
        }

        @Override
        public long write(MemorySegment message, long offset, long length) {
            return length;
        }

        @Override
        public int ioctl(long command, MemorySegment argument) {
            return -Errno.EPERM;
        }

        @Override
        public long write(
                IoVector pieces, MemorySegment head, long headOffset, MemorySegment data, long from, long length) {
            return length;
        }
    }

    private final FuseTransport transport;

    AllocationTest(FuseTransport transport) {
        this.transport = transport;
    }

    private void check(int opcode, Bytes arguments) {
        try (Arena arena = Arena.ofShared()) {
            boolean ring = transport == FuseTransport.IO_URING;
            FuseOptions options = FuseOptions.DEFAULTS.withMaxWrite(8192);
            byte[] init =
                    Bytes.none().u32(7).u32(45).u32(0).u32(-1).u32(-1).zeros(44).request(Opcode.INIT, 1, 0);
            Repeating device = new Repeating(init, arena);
            Session session = new Session(new Fixed(), options, arena, device, ring, MonotonicClock::nowNs);
            new Worker(session, device, () -> {}).serveOne();
            assertThat(session.isOverRing()).isEqualTo(ring);
            byte[] request = arguments.request(opcode, 2, 5);
            checkRounds(session, ring ? overRing(session, request, arena) : overDevice(session, request, arena));
        }
    }

    private static void checkRounds(Session session, Runnable one) {
        long fewest = Allocations.fewestBytes(2000, () -> {
            for (int i = 0; i < REQUESTS_A_ROUND; i++) {
                one.run();
            }
        });
        assertThat(fewest).isZero();
        assertThat(session.statistics().total()).isGreaterThan(REQUESTS_A_ROUND);
        assertThat(session.statistics().failures()).isZero();
    }

    private static Runnable overDevice(Session session, byte[] request, Arena arena) {
        Worker worker = new Worker(session, new Repeating(request, arena), () -> {});
        return worker::serveOne;
    }

    private static Runnable overRing(Session session, byte[] request, Arena arena) {
        RingSlot slot = new RingSlot(session, arena);
        session.add(slot.exchange);
        return () -> {
            slot.put(request);
            session.serve(slot.exchange);
            slot.exchange.writeAnswer();
        };
    }

    @Test
    void ofLookups() {
        check(Opcode.LOOKUP, Bytes.none().name("some-name"));
    }

    @Test
    void ofErrors() {
        check(Opcode.LOOKUP, Bytes.none().name("other"));
    }

    @Test
    void ofAttributes() {
        check(Opcode.GETATTR, Bytes.none().zeros(16));
    }

    @Test
    void ofReads() {
        check(Opcode.READ, Bytes.none().u64(7).u64(0).u32(4096).zeros(20));
    }

    @Test
    void ofWrites() {
        check(Opcode.WRITE, Bytes.none().u64(7).u64(0).u32(4096).zeros(20).zeros(4096));
    }

    @Test
    void ofLists() {
        check(Opcode.READDIRPLUS, Bytes.none().u64(7).u64(0).u32(4096).zeros(20));
    }
}
