package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests about open directories; their arguments are those of open files. */
final class DirectoryOperations {
    private DirectoryOperations() {}

    static void addTo(Operation.Registry all) {
        all.add(Opcode.OPENDIR, Abi.OPEN_IN, DirectoryOperations::opendir);
        all.add(Opcode.READDIR, Abi.READ_IN, DirectoryOperations::readdir);
        all.add(Opcode.READDIRPLUS, Abi.READ_IN, DirectoryOperations::readdirplus);
        all.add(Opcode.RELEASEDIR, Abi.RELEASE_IN, DirectoryOperations::releasedir);
        all.add(Opcode.FSYNCDIR, Abi.FSYNC_IN, DirectoryOperations::fsyncdir);
    }

    private static void opendir(FuseFileSystem fs, HandledExchange x) {
        if (x.context.has(FuseFeature.NO_OPENDIR)) {
            x.answerError(Errno.ENOSYS);
        } else {
            fs.opendir(x.request, x.node(), x.argumentInt(Abi.OPEN_IN_FLAGS), x.replies.open);
        }
    }

    private static void readdir(FuseFileSystem fs, HandledExchange x) {
        long handle = x.argumentLong(Abi.READ_IN_FH);
        long position = x.argumentLong(Abi.READ_IN_OFFSET);
        DirectoryReply reply = x.replies.directory.asked(x.argumentSize(Abi.READ_IN_SIZE));
        fs.readdir(x.request, x.node(), handle, position, reply);
    }

    private static void readdirplus(FuseFileSystem fs, HandledExchange x) {
        long handle = x.argumentLong(Abi.READ_IN_FH);
        long position = x.argumentLong(Abi.READ_IN_OFFSET);
        DirectoryPlusReply reply = x.replies.directoryPlus.asked(x.argumentSize(Abi.READ_IN_SIZE));
        fs.readdirplus(x.request, x.node(), handle, position, reply);
    }

    private static void releasedir(FuseFileSystem fs, HandledExchange x) {
        long handle = x.argumentLong(Abi.RELEASE_IN_FH);
        fs.releasedir(x.request, x.node(), handle, x.argumentInt(Abi.RELEASE_IN_FLAGS), x.replies.empty);
    }

    private static void fsyncdir(FuseFileSystem fs, HandledExchange x) {
        boolean dataOnly = (x.argumentInt(Abi.FSYNC_IN_FSYNC_FLAGS) & Abi.FSYNC_FDATASYNC) != 0;
        fs.fsyncdir(x.request, x.node(), x.argumentLong(Abi.FSYNC_IN_FH), dataOnly, x.replies.empty);
    }
}
