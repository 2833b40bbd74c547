package io.chagres.fuse.loopback;

import io.chagres.foreign.Errno;
import io.chagres.fuse.IoctlCall;
import io.chagres.fuse.IoctlReply;
import io.chagres.fuse.Payload;
import io.chagres.linux.Fd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The requests that lsattr(1), chattr(1) and quota programs make of a file, see ioctl_iflags(2). Stateless. */
final class LoopbackIoctls {
    private static final int FS_IOC_GETFLAGS = 0x80086601;
    private static final int FS_IOC_SETFLAGS = 0x40086602;
    private static final int FS_IOC_FSGETXATTR = 0x801c581f;
    private static final int FS_IOC_FSSETXATTR = 0x401c5820;

    private LoopbackIoctls() {}

    /** Answers; the kernel has checked the caller's rights. */
    static void answer(Fd file, IoctlCall call, MemorySegment argument, IoctlReply reply) {
        int command = call.command();
        boolean sets = command == FS_IOC_SETFLAGS || command == FS_IOC_FSSETXATTR;
        boolean known = sets || command == FS_IOC_GETFLAGS || command == FS_IOC_FSGETXATTR;
        argument.fill((byte) 0);
        Payload input = call.input();
        if (!known || input.length() > argument.byteSize() || call.outputLength() > argument.byteSize()) {
            reply.error(Errno.ENOTTY);
            return;
        }
        MemorySegment.copy(input.segment(), input.offset(), argument, 0, input.length());
        int result = file.tryIoctl(Integer.toUnsignedLong(command), argument);
        if (result < 0) {
            reply.error(-result);
        } else {
            long length = sets ? 0 : call.outputLength();
            reply.result(result, argument.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
