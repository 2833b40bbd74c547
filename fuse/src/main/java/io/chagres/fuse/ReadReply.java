package io.chagres.fuse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The answer to a read: bytes in the buffer offered, or in memory of the file system.
 * Less than was asked for is the end of the file; the kernel fills a page up with zeros.
 */
public final class ReadReply extends BufferReply {
    ReadReply(Exchange exchange) {
        super(exchange);
    }

    ReadReply asked(int sizeBytes) {
        size = sizeBytes;
        return this;
    }

    /**
     * Answers with the start of the buffer.
     *
     * @param length how many bytes were put there, 0 to {@link #capacity()}
     */
    @Override
    public void filled(long length) {
        checkLength(length);
        exchange.answer(length);
    }

    /**
     * Answers with memory of the file system, which the kernel copies from before this returns.
     *
     * @param memory native memory
     * @param from where the bytes start, bytes
     * @param length how many, 0 to {@link #capacity()}
     */
    public void data(MemorySegment memory, long from, long length) {
        checkLength(length);
        exchange.answer(memory, from, length);
    }

    /**
     * Answers with bytes of an array, which are copied once more.
     *
     * @param bytes the array
     * @param from the index of the first
     * @param length how many, 0 to {@link #capacity()}
     */
    public void data(byte[] bytes, int from, int length) {
        checkLength(length);
        MemorySegment.copy(bytes, from, exchange.body, ValueLayout.JAVA_BYTE, exchange.bodyAt, length);
        exchange.answer(length);
    }

    private void checkLength(long length) {
        if (length < 0 || length > capacity()) {
            throw new IllegalArgumentException(length + " bytes for a read of " + capacity());
        }
    }
}
