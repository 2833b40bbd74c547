package io.chagres.fuse;

import io.chagres.linux.IoVector;
import java.lang.foreign.MemorySegment;

/**
 * Where requests come from and answers go, one message a call: {@code /dev/fuse}. Reading belongs to one thread,
 * writing is safe for any. Results are bytes, or {@code -errno}.
 */
interface Device {
    /** Waits for a request. */
    long read(MemorySegment buffer, long offset, long length);

    /** Sends an answer or notification. */
    long write(MemorySegment message, long offset, long length);

    /** Asks the device for something, see ioctl(2). */
    int ioctl(long request, MemorySegment argument);

    /**
     * Sends one whose last part lies elsewhere. The head begins with the length of all, as every message does.
     *
     * @param pieces room for two, to be used for this
     */
    long write(IoVector pieces, MemorySegment head, long headOffset, MemorySegment data, long from, long length);
}
