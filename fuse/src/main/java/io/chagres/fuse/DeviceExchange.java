package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import io.chagres.linux.IoVector;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * An exchange over a device, with one buffer: the answer is built behind the request, so that request and data of one
 * direction take no more than the larger of them.
 */
final class DeviceExchange extends HandledExchange {
    /** Room beside the data of a request or answer, as the kernel wants it: headers, arguments, names. */
    private static final int MARGIN = 8192;

    private static final int PAGE = 4096;

    /**
     * Where the data of a write starts, which is where a page does: the kernel copies page by page. Nearly all other
     * requests end before, so that each of them and each short answer is in one page too.
     */
    private static final int DATA = Abi.IN_HEADER + Abi.WRITE_IN;

    private static final int ALIGNMENT = 16;

    /** Where the answer starts behind a request that goes beyond that, but by no more than a name. */
    private static final int BEHIND_NAME = DATA + 512;

    private final MemorySegment buffer;
    private final MemorySegment bodyBehindArguments;
    private final MemorySegment bodyBehindName;
    private final IoVector pieces;
    private final long readBytes;
    private final Consumer<HandledExchange> owner;
    private Device device;
    private long answerAt;

    /**
     * Makes an exchange, which is idle.
     *
     * @param owner gets it when its request is answered and the handler has returned
     */
    DeviceExchange(Context context, int maxWrite, Arena arena, Device device, Consumer<HandledExchange> owner) {
        super(context);
        this.device = device;
        this.owner = owner;
        readBytes = (long) Math.max(maxWrite, 1 << 16) + MARGIN;
        buffer = arena.allocate(PAGE + readBytes + MARGIN, PAGE).asSlice(PAGE - DATA);
        pieces = new IoVector(arena, 2);
        bodyBehindArguments = buffer.asSlice(DATA + Abi.OUT_HEADER);
        bodyBehindName = buffer.asSlice(BEHIND_NAME + Abi.OUT_HEADER);
        request.header = buffer;
        arguments = buffer;
        request.payload = buffer.asReadOnly();
    }

    /** Waits for a request. Returns its length, or -errno. */
    long receive(Device from) {
        device = from;
        long n = from.read(buffer, 0, readBytes);
        if (n < Abi.IN_HEADER) {
            return n < 0 ? n : -Errno.EPROTO;
        }
        request.headerAt = 0;
        argumentsAt = Abi.IN_HEADER;
        payloadAt = argumentsAt + context.argumentBytes(opcode());
        request.payloadEnd = n - 8L * Abi.getShort(buffer, Abi.IN_HEADER_TOTAL_EXTLEN);
        request.unique = Abi.getLong(buffer, Abi.IN_HEADER_UNIQUE);
        placeAnswer(n);
        return n;
    }

    /** Handlers write answers of short requests themselves, so these have memory of their own for it, made once. */
    private void placeAnswer(long requestBytes) {
        if (requestBytes <= DATA) {
            answerAt = DATA;
            body = bodyBehindArguments;
        } else if (requestBytes <= BEHIND_NAME) {
            answerAt = BEHIND_NAME;
            body = bodyBehindName;
        } else {
            answerAt = requestBytes + ALIGNMENT - 1 & -ALIGNMENT;
            body = buffer;
        }
        bodyAt = body == buffer ? answerAt + Abi.OUT_HEADER : 0;
        bodyCapacity = body.byteSize() - bodyAt;
    }

    @Override
    long send(int error, long length) {
        writeHeader(error, length);
        return device.write(buffer, answerAt, Abi.OUT_HEADER + length);
    }

    @Override
    long send(MemorySegment memory, long offset, long length) {
        writeHeader(0, length);
        return device.write(pieces, buffer, answerAt, memory, offset, length);
    }

    @Override
    void release() {
        owner.accept(this);
    }

    private void writeHeader(int error, long length) {
        Abi.putInt(buffer, answerAt + Abi.OUT_HEADER_LEN, (int) (Abi.OUT_HEADER + length));
        Abi.putInt(buffer, answerAt + Abi.OUT_HEADER_ERROR, -error);
        Abi.putLong(buffer, answerAt + Abi.OUT_HEADER_UNIQUE, request.unique);
    }
}
