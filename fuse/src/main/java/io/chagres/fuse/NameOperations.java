package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests that find, make, move and remove names. */
final class NameOperations {
    private NameOperations() {}

    static void addTo(Operation.Registry all) {
        all.add(Opcode.LOOKUP, 0, (fs, x) -> fs.lookup(x.request, x.node(), x.firstName(), x.replies.entry));
        all.add(Opcode.SYMLINK, 0, NameOperations::symlink);
        all.add(Opcode.READLINK, 0, (fs, x) -> fs.readlink(x.request, x.node(), x.replies.target));
        all.add(Opcode.MKNOD, Abi.MKNOD_IN, NameOperations::mknod);
        all.add(Opcode.MKDIR, Abi.MKDIR_IN, NameOperations::mkdir);
        all.add(Opcode.UNLINK, 0, (fs, x) -> fs.unlink(x.request, x.node(), x.firstName(), x.replies.empty));
        all.add(Opcode.RMDIR, 0, (fs, x) -> fs.rmdir(x.request, x.node(), x.firstName(), x.replies.empty));
        all.add(Opcode.RENAME, Abi.RENAME_IN, (fs, x) -> rename(fs, x, 0));
        all.add(Opcode.RENAME2, Abi.RENAME2_IN, (fs, x) -> rename(fs, x, x.argumentInt(Abi.RENAME2_IN_FLAGS)));
        all.add(Opcode.LINK, Abi.LINK_IN, NameOperations::link);
        all.add(Opcode.CREATE, Abi.CREATE_IN, NameOperations::create);
        all.add(Opcode.TMPFILE, Abi.CREATE_IN, NameOperations::tmpfile);
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
