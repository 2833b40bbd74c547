package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests about open files. */
final class FileOperations {
    private FileOperations() {}

    static void addTo(Operation.Registry all) {
        all.add(Opcode.OPEN, Abi.OPEN_IN, FileOperations::open);
        all.add(Opcode.READ, Abi.READ_IN, FileOperations::read);
        all.add(Opcode.WRITE, Abi.WRITE_IN, FileOperations::write);
        all.add(Opcode.FLUSH, Abi.FLUSH_IN, FileOperations::flush);
        all.add(Opcode.RELEASE, Abi.RELEASE_IN, FileOperations::release);
        all.add(Opcode.FSYNC, Abi.FSYNC_IN, FileOperations::fsync);
        all.add(Opcode.FALLOCATE, Abi.FALLOCATE_IN, FileOperations::fallocate);
        all.add(Opcode.LSEEK, Abi.LSEEK_IN, FileOperations::lseek);
        all.add(Opcode.COPY_FILE_RANGE, Abi.COPY_FILE_RANGE_IN, FileOperations::copyFileRange);
        all.add(Opcode.COPY_FILE_RANGE_64, Abi.COPY_FILE_RANGE_IN, FileOperations::copyFileRange);
        all.add(Opcode.BMAP, Abi.BMAP_IN, FileOperations::bmap);
        all.add(Opcode.IOCTL, Abi.IOCTL_IN, FileOperations::ioctl);
        all.add(Opcode.POLL, Abi.POLL_IN, FileOperations::poll);
    }

    private static void open(FuseFileSystem fs, HandledExchange x) {
        if (x.context.has(FuseFeature.NO_OPEN)) {
            x.answerError(Errno.ENOSYS);
        } else {
            fs.open(x.request, x.node(), x.argumentInt(Abi.OPEN_IN_FLAGS), x.replies.open);
        }
    }

    private static void read(FuseFileSystem fs, HandledExchange x) {
        x.request.lockOwner(x.argumentLong(Abi.READ_IN_LOCK_OWNER));
        long handle = x.argumentLong(Abi.READ_IN_FH);
        long position = x.argumentLong(Abi.READ_IN_OFFSET);
        int size = x.argumentSize(Abi.READ_IN_SIZE);
        int flags = x.argumentInt(Abi.READ_IN_FLAGS);
        fs.read(x.request, x.node(), handle, position, size, flags, x.replies.read.asked(size));
    }

    private static void write(FuseFileSystem fs, HandledExchange x) {
        x.request.lockOwner(x.argumentLong(Abi.WRITE_IN_LOCK_OWNER));
        long handle = x.argumentLong(Abi.WRITE_IN_FH);
        long position = x.argumentLong(Abi.WRITE_IN_OFFSET);
        Payload data = x.payload(x.payloadAt, x.argumentInt(Abi.WRITE_IN_SIZE), x.argumentInt(Abi.WRITE_IN_FLAGS));
        fs.write(x.request, x.node(), handle, position, data, x.replies.write);
    }

    private static void flush(FuseFileSystem fs, HandledExchange x) {
        long owner = x.argumentLong(Abi.FLUSH_IN_LOCK_OWNER);
        x.request.lockOwner(owner);
        fs.flush(x.request, x.node(), x.argumentLong(Abi.FLUSH_IN_FH), owner, x.replies.empty);
    }

    private static void release(FuseFileSystem fs, HandledExchange x) {
        x.request.lockOwner(x.argumentLong(Abi.RELEASE_IN_LOCK_OWNER));
        long handle = x.argumentLong(Abi.RELEASE_IN_FH);
        int flags = x.argumentInt(Abi.RELEASE_IN_FLAGS);
        int releaseFlags = x.argumentInt(Abi.RELEASE_IN_RELEASE_FLAGS);
        fs.release(x.request, x.node(), handle, flags, releaseFlags, x.replies.empty);
    }

    private static void fsync(FuseFileSystem fs, HandledExchange x) {
        boolean dataOnly = (x.argumentInt(Abi.FSYNC_IN_FSYNC_FLAGS) & Abi.FSYNC_FDATASYNC) != 0;
        fs.fsync(x.request, x.node(), x.argumentLong(Abi.FSYNC_IN_FH), dataOnly, x.replies.empty);
    }

    private static void fallocate(FuseFileSystem fs, HandledExchange x) {
        long handle = x.argumentLong(Abi.FALLOCATE_IN_FH);
        long position = x.argumentLong(Abi.FALLOCATE_IN_OFFSET);
        long length = x.argumentLong(Abi.FALLOCATE_IN_LENGTH);
        int mode = x.argumentInt(Abi.FALLOCATE_IN_MODE);
        fs.fallocate(x.request, x.node(), handle, position, length, mode, x.replies.empty);
    }

    private static void lseek(FuseFileSystem fs, HandledExchange x) {
        long handle = x.argumentLong(Abi.LSEEK_IN_FH);
        long position = x.argumentLong(Abi.LSEEK_IN_OFFSET);
        fs.lseek(x.request, x.node(), handle, position, x.argumentInt(Abi.LSEEK_IN_WHENCE), x.replies.lseek);
    }

    private static void copyFileRange(FuseFileSystem fs, HandledExchange x) {
        fs.copyFileRange(x.request, x.node(), x.copy, x.replies.write);
    }

    private static void bmap(FuseFileSystem fs, HandledExchange x) {
        long block = x.argumentLong(Abi.BMAP_IN_BLOCK);
        fs.bmap(x.request, x.node(), x.argumentInt(Abi.BMAP_IN_BLOCKSIZE), block, x.replies.bmap);
    }

    private static void ioctl(FuseFileSystem fs, HandledExchange x) {
        x.payload(x.payloadAt, x.argumentInt(Abi.IOCTL_IN_IN_SIZE), 0);
        fs.ioctl(x.request, x.node(), x.argumentLong(Abi.IOCTL_IN_FH), x.ioctl, x.replies.ioctl);
    }

    private static void poll(FuseFileSystem fs, HandledExchange x) {
        boolean waits = (x.argumentInt(Abi.POLL_IN_FLAGS) & Abi.POLL_SCHEDULE_NOTIFY) != 0;
        long wakeUp = waits ? x.argumentLong(Abi.POLL_IN_KH) : 0;
        int events = x.argumentInt(Abi.POLL_IN_EVENTS);
        fs.poll(x.request, x.node(), x.argumentLong(Abi.POLL_IN_FH), events, wakeUp, x.replies.poll);
    }
}
