package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.linux.IoVector;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The kernel's side of a device, in memory. */
final class FakeDevice implements Device {
    final Deque<byte[]> requests = new ArrayDeque<>();
    final List<byte[]> answers = new ArrayList<>();

    /** Requests of ioctl, each number before its argument. */
    final List<byte[]> commands = new ArrayList<>();

    /** The result of ioctl. */
    int commandResult;

    /** The result of writing if not 0. */
    int refusal;

    @Override
    public synchronized long read(MemorySegment buffer, long offset, long length) {
        byte[] request = requests.poll();
        if (request == null) {
            return -Errno.ENODEV;
        }
        assert request.length <= length;
        MemorySegment.copy(request, 0, buffer, ValueLayout.JAVA_BYTE, offset, request.length);
        return request.length;
    }

    @Override
    public synchronized long write(MemorySegment message, long offset, long length) {
        answers.add(message.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        return refusal != 0 ? refusal : length;
    }

    /** Keeps the request and as much of its argument as its number says. */
    @Override
    public synchronized int ioctl(long request, MemorySegment argument) {
        int size = (int) (request >>> 16) & 0x3fff;
        byte[] value = argument.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
        commands.add(Bytes.none().u64(request).bytes(value).array());
        return commandResult;
    }

    @Override
    public synchronized long write(
            IoVector pieces, MemorySegment head, long headOffset, MemorySegment data, long from, long length) {
        int total = head.get(ValueLayout.JAVA_INT_UNALIGNED, headOffset);
        int headLength = (int) (total - length);
        byte[] both = new byte[total];
        MemorySegment.copy(head, ValueLayout.JAVA_BYTE, headOffset, both, 0, headLength);
        MemorySegment.copy(data, ValueLayout.JAVA_BYTE, from, both, headLength, (int) length);
        answers.add(both);
        return refusal != 0 ? refusal : both.length;
    }
}
