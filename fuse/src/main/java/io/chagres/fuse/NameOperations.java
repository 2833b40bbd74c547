package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests that find, make, move and remove names. */
final class NameOperations {
    private NameOperations() {}

    static void addTo() {
        Operation.Table.add(
                Opcode.LOOKUP, 0, (fs, x) -> fs.lookup(x.request, x.node(), x.firstName(), x.replies.entry));
        Operation.Table.add(Opcode.FORGET, Abi.FORGET_IN, (fs, x) -> forget(x));
        Operation.Table.add(Opcode.BATCH_FORGET, Abi.BATCH_FORGET_IN, (fs, x) -> batchForget(x));
        Operation.Table.add(Opcode.SYMLINK, 0, NameOperations::symlink);
        Operation.Table.add(Opcode.READLINK, 0, (fs, x) -> fs.readlink(x.request, x.node(), x.replies.target));
        Operation.Table.add(Opcode.MKNOD, Abi.MKNOD_IN, NameOperations::mknod);
        Operation.Table.add(Opcode.MKDIR, Abi.MKDIR_IN, NameOperations::mkdir);
        Operation.Table.add(
                Opcode.UNLINK, 0, (fs, x) -> fs.unlink(x.request, x.node(), x.firstName(), x.replies.empty));
        Operation.Table.add(Opcode.RMDIR, 0, (fs, x) -> fs.rmdir(x.request, x.node(), x.firstName(), x.replies.empty));
        Operation.Table.add(Opcode.RENAME, Abi.RENAME_IN, (fs, x) -> rename(fs, x, 0));
        Operation.Table.add(
                Opcode.RENAME2, Abi.RENAME2_IN, (fs, x) -> rename(fs, x, x.argumentInt(Abi.RENAME2_IN_FLAGS)));
        Operation.Table.add(Opcode.LINK, Abi.LINK_IN, NameOperations::link);
        Operation.Table.add(Opcode.CREATE, Abi.CREATE_IN, NameOperations::create);
        Operation.Table.add(Opcode.TMPFILE, Abi.CREATE_IN, NameOperations::tmpfile);
    }

    private static void forget(HandledExchange x) {
        x.session.forget(x.node(), x.argumentLong(Abi.FORGET_IN_NLOOKUP));
        x.finishSilently();
    }

    private static void batchForget(HandledExchange x) {
        int count = x.argumentInt(Abi.BATCH_FORGET_IN_COUNT);
        x.payload(x.payloadAt, (long) count * Abi.FORGET_ONE, 0); // all of them are there
        for (int i = 0; i < count; i++) {
            long at = x.payloadAt + (long) i * Abi.FORGET_ONE;
            x.session.forget(
                    Abi.getLong(x.request.payload, at + Abi.FORGET_ONE_NODEID),
                    Abi.getLong(x.request.payload, at + Abi.FORGET_ONE_NLOOKUP));
        }
        x.finishSilently();
    }

    private static void symlink(FuseFileSystem fs, HandledExchange x) {
        Name name = x.firstName();
        fs.symlink(x.request, x.node(), name, x.nextName(), x.replies.entry);
    }

    private static void mknod(FuseFileSystem fs, HandledExchange x) {
        x.request.umask(x.argumentInt(Abi.MKNOD_IN_UMASK));
        int mode = x.argumentInt(Abi.MKNOD_IN_MODE);
        int device = x.argumentInt(Abi.MKNOD_IN_RDEV);
        fs.mknod(x.request, x.node(), x.firstName(), mode, device, x.replies.entry);
    }

    private static void mkdir(FuseFileSystem fs, HandledExchange x) {
        x.request.umask(x.argumentInt(Abi.MKDIR_IN_UMASK));
        fs.mkdir(x.request, x.node(), x.firstName(), x.argumentInt(Abi.MKDIR_IN_MODE), x.replies.entry);
    }

    private static void rename(FuseFileSystem fs, HandledExchange x, int flags) {
        Name name = x.firstName();
        long newParent = x.argumentLong(Abi.RENAME_IN_NEWDIR);
        fs.rename(x.request, x.node(), name, newParent, x.nextName(), flags, x.replies.empty);
    }

    /** The kernel puts the new parent into the header and the node into the arguments. */
    private static void link(FuseFileSystem fs, HandledExchange x) {
        fs.link(x.request, x.argumentLong(Abi.LINK_IN_OLDNODEID), x.node(), x.firstName(), x.replies.entry);
    }

    private static void create(FuseFileSystem fs, HandledExchange x) {
        x.request.umask(x.argumentInt(Abi.CREATE_IN_UMASK));
        int flags = x.argumentInt(Abi.CREATE_IN_FLAGS);
        int mode = x.argumentInt(Abi.CREATE_IN_MODE);
        fs.create(x.request, x.node(), x.firstName(), mode, flags, x.replies.create);
    }

    private static void tmpfile(FuseFileSystem fs, HandledExchange x) {
        x.request.umask(x.argumentInt(Abi.CREATE_IN_UMASK));
        int flags = x.argumentInt(Abi.CREATE_IN_FLAGS);
        fs.tmpfile(x.request, x.node(), x.argumentInt(Abi.CREATE_IN_MODE), flags, x.replies.create);
    }
}
