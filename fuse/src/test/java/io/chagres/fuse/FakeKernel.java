package io.chagres.fuse;

import io.chagres.fuse.wire.Opcode;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Set;

/**
 * Sends requests to a file system, one at a time and on one thread, and looks at the answers: through a device, or
 * through an entry of a ring, as the kernel lays them out there.
 */
final class FakeKernel implements AutoCloseable {
    static final long ALL_FLAGS = 0x7ff_ffff_ffffL;

    /** Requests that nobody waits for always come through the device. */
    private static final Set<Integer> THROUGH_DEVICE = Set.of(Opcode.FORGET, Opcode.BATCH_FORGET, Opcode.INTERRUPT);

    final FakeDevice device = new FakeDevice();
    final Session session;

    /** The time of its clock. */
    long nowNs;

    private final Arena arena = Arena.ofShared();
    private final Worker worker;
    private final RingSlot slot;
    private long unique = 100;

    FakeKernel(FuseFileSystem fileSystem, FuseOptions options) {
        boolean ring = options.transport() == FuseTransport.IO_URING;
        session = new Session(fileSystem, options.withMaxWrite(8192), arena, device, ring, () -> nowNs);
        slot = new RingSlot(session, arena);
        session.add(slot.exchange);
        worker = new Worker(session, device, () -> {});
    }

    /** An initialised connection. */
    static FakeKernel started(FuseFileSystem fileSystem, FuseOptions options) {
        FakeKernel kernel = new FakeKernel(fileSystem, options);
        kernel.init(45, ALL_FLAGS);
        return kernel;
    }

    Answer init(int minor, long flags) {
        Bytes init = Bytes.none().u32(7).u32(minor).u32(131072).u32((int) flags).u32((int) (flags >>> 32));
        return call(Opcode.INIT, 0, init.zeros(44));
    }

    /** Sends a request and returns its answer; null if there is none. */
    Answer call(int opcode, long node, Bytes arguments) {
        return call(opcode, ++unique, node, arguments);
    }

    private Answer call(int opcode, long number, long node, Bytes arguments) {
        byte[] request = arguments.request(opcode, number, node);
        if (session.isOverRing() && !THROUGH_DEVICE.contains(opcode)) {
            return throughRing(request);
        }
        device.answers.clear();
        device.requests.add(request);
        int served = worker.serveOne();
        assert served == 1 : served;
        return device.answers.isEmpty() ? null : new Answer(device.answers.getFirst());
    }

    /** Sends a request that another server had read. */
    Answer callAgain(int opcode, long node, Bytes arguments) {
        return call(opcode, ++unique | 1L << 63, node, arguments);
    }

    private Answer throughRing(byte[] request) {
        slot.put(request);
        boolean free = session.serve(slot.exchange);
        assert free;
        long committed = slot.exchange.writeAnswer();
        assert committed == unique : committed;
        return new Answer(slot.answer());
    }

    /** Serves what the device holds, once. */
    int serveOne() {
        return worker.serveOne();
    }

    long lastUnique() {
        return unique;
    }

    @Override
    public void close() {
        arena.close();
    }

    /** Bytes of an answer. */
    record Answer(byte[] bytes) {
        int length() {
            return buffer().getInt(0);
        }

        int error() {
            return -buffer().getInt(4);
        }

        long unique() {
            return buffer().getLong(8);
        }

        byte[] body() {
            return Arrays.copyOfRange(bytes, 16, bytes.length);
        }

        int u32(int offset) {
            return buffer().getInt(16 + offset);
        }

        long u64(int offset) {
            return buffer().getLong(16 + offset);
        }

        int u16(int offset) {
            return Short.toUnsignedInt(buffer().getShort(16 + offset));
        }

        private ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        }
    }
}
