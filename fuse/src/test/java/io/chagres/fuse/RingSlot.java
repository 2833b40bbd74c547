package io.chagres.fuse;

import io.chagres.fuse.wire.RingEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The kernel's side of one entry of a ring, in memory. */
final class RingSlot {
    final RingExchange exchange;
    private final Session session;
    private final MemorySegment head;
    private final MemorySegment buffer;

    RingSlot(Session session, Arena arena) {
        this.session = session;
        head = arena.allocate(RingEntry.BYTES, 8);
        buffer = arena.allocate(1 << 16, 8);
        exchange = new RingExchange(session, head, 0, buffer, 0, x -> {});
    }

    /** Puts header, arguments and payload of a request where the kernel does. */
    void put(byte[] request) {
        MemorySegment.copy(request, 0, head, ValueLayout.JAVA_BYTE, 0, 40);
        int opcode = head.get(ValueLayout.JAVA_INT, 4);
        int argumentBytes = session.argumentBytes(opcode);
        int payloadAt = 40 + argumentBytes;
        MemorySegment.copy(request, 40, head, ValueLayout.JAVA_BYTE, 128, argumentBytes);
        MemorySegment.copy(request, payloadAt, buffer, ValueLayout.JAVA_BYTE, 0, request.length - payloadAt);
        head.set(ValueLayout.JAVA_LONG, 264, head.get(ValueLayout.JAVA_LONG, 8));
        head.set(ValueLayout.JAVA_INT, 272, request.length - payloadAt);
        exchange.receive();
    }

    /** The answer that was written, as it would come through the device. */
    byte[] answer() {
        int length = head.get(ValueLayout.JAVA_INT, 272);
        byte[] answer = new byte[16 + length];
        MemorySegment.copy(head, ValueLayout.JAVA_BYTE, 0, answer, 0, 16);
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, answer, 16, length);
        assert ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder()).getInt() == answer.length;
        return answer;
    }
}
