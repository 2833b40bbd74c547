package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;
import io.chagres.fuse.wire.RingEntry;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An exchange over io_uring: the kernel puts header and arguments into one piece of memory, names and data into
 * another, and takes the answer from there. So an answer overwrites the names and data of its request, and it is
 * delivered when its handler has returned, not before.
 */
final class RingExchange extends HandledExchange {
    /** The number of the entry in its queue. */
    final int entry;

    /** The next in a list of those that are answered. */
    @Nullable
    RingExchange next;

    private final Consumer<RingExchange> owner;
    private int answerError;
    private long answerLength;

    /**
     * Makes the exchange of one entry.
     *
     * @param head holds struct fuse_uring_req_header, from {@code at} on
     * @param buffer the payload buffer
     * @param owner gets the exchange when its request is answered and the handler has returned
     */
    RingExchange(
            Context context,
            MemorySegment head,
            long at,
            MemorySegment buffer,
            int entry,
            Consumer<RingExchange> owner) {
        super(context);
        this.entry = entry;
        this.owner = owner;
        request.header = head;
        request.headerAt = at + RingEntry.IN_OUT;
        request.payload = buffer.asReadOnly();
        body = buffer;
        bodyAt = 0;
        bodyCapacity = buffer.byteSize();
    }

    /** Takes the request that the kernel has put there. */
    void receive() {
        int length = Abi.getInt(request.header, request.headerAt + RingEntry.PAYLOAD_SZ);
        request.payloadEnd = length - 8L * Abi.getShort(request.header, request.headerAt + Abi.IN_HEADER_TOTAL_EXTLEN);
        request.unique = Abi.getLong(request.header, request.headerAt + Abi.IN_HEADER_UNIQUE);
        answerError = 0;
        answerLength = 0;
        // The kernel counts the arguments of this one among its data.
        boolean argumentsInPayload = opcode() == Opcode.NOTIFY_REPLY;
        arguments = argumentsInPayload ? request.payload : request.header;
        argumentsAt = argumentsInPayload ? 0 : request.headerAt + RingEntry.OP_IN;
        payloadAt = argumentsInPayload ? Abi.NOTIFY_RETRIEVE_IN : 0;
    }

    @Override
    long send(int error, long length) {
        answerError = error;
        answerLength = length;
        return length;
    }

    @Override
    long send(MemorySegment memory, long offset, long length) {
        MemorySegment.copy(memory, offset, body, bodyAt, length);
        return send(0, length);
    }

    @Override
    void release() {
        owner.accept(this);
    }

    /**
     * Puts the answer where the kernel reads it when it is committed. Until then the header is the request's; both have
     * the number of the request at the same place.
     *
     * @return what the kernel calls this entry's request
     */
    long writeAnswer() {
        Abi.putInt(request.header, request.headerAt + Abi.OUT_HEADER_LEN, (int) (Abi.OUT_HEADER + answerLength));
        Abi.putInt(request.header, request.headerAt + Abi.OUT_HEADER_ERROR, -answerError);
        Abi.putInt(request.header, request.headerAt + RingEntry.PAYLOAD_SZ, (int) answerLength);
        return Abi.getLong(request.header, request.headerAt + RingEntry.COMMIT_ID);
    }
}
