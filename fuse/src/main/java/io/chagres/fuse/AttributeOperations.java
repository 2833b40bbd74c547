package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests about attributes, extended ones too. */
final class AttributeOperations {
    private AttributeOperations() {}

    static void addTo(Operation.Registry all) {
        all.add(Opcode.SYNCFS, Abi.SYNCFS_IN, (fs, x) -> fs.syncfs(x.request, x.node(), x.replies.empty));
        all.add(Opcode.GETATTR, Abi.GETATTR_IN, AttributeOperations::getattr);
        all.add(Opcode.STATX, Abi.STATX_IN, AttributeOperations::statx);
        all.add(
                Opcode.SETATTR,
                Abi.SETATTR_IN,
                (fs, x) -> fs.setattr(x.request, x.node(), x.change, x.replies.attributes));
        all.add(
                Opcode.ACCESS,
                Abi.ACCESS_IN,
                (fs, x) -> fs.access(x.request, x.node(), x.argumentInt(Abi.ACCESS_IN_MASK), x.replies.empty));
        all.add(Opcode.STATFS, 0, (fs, x) -> fs.statfs(x.request, x.node(), x.replies.statfs));
        all.add(Opcode.SETXATTR, Abi.SETXATTR_IN, AttributeOperations::setxattr);
        all.add(Opcode.GETXATTR, Abi.GETXATTR_IN, AttributeOperations::getxattr);
        all.add(Opcode.LISTXATTR, Abi.GETXATTR_IN, AttributeOperations::listxattr);
        all.add(Opcode.REMOVEXATTR, 0, (fs, x) -> fs.removexattr(x.request, x.node(), x.firstName(), x.replies.empty));
    }

    private static void getattr(FuseFileSystem fs, HandledExchange x) {
        boolean open = (x.argumentInt(Abi.GETATTR_IN_FLAGS) & Abi.GETATTR_FH) != 0;
        long handle = open ? x.argumentLong(Abi.GETATTR_IN_FH) : FuseFileSystem.NO_HANDLE;
        fs.getattr(x.request, x.node(), handle, x.replies.attributes);
    }

    private static void statx(FuseFileSystem fs, HandledExchange x) {
        boolean open = (x.argumentInt(Abi.STATX_IN_GETATTR_FLAGS) & Abi.GETATTR_FH) != 0;
        long handle = open ? x.argumentLong(Abi.STATX_IN_FH) : FuseFileSystem.NO_HANDLE;
        fs.statx(x.request, x.node(), handle, x.argumentInt(Abi.STATX_IN_SX_MASK), x.replies.statx);
    }

    private static void setxattr(FuseFileSystem fs, HandledExchange x) {
        Name name = x.firstName();
        int size = x.argumentInt(Abi.SETXATTR_IN_SIZE);
        Payload value = x.payload(name.offset() + name.length() + 1, size, 0);
        fs.setxattr(x.request, x.node(), name, value, x.argumentInt(Abi.SETXATTR_IN_FLAGS), x.replies.empty);
    }

    private static void getxattr(FuseFileSystem fs, HandledExchange x) {
        int size = x.argumentSize(Abi.GETXATTR_IN_SIZE);
        fs.getxattr(x.request, x.node(), x.firstName(), size, x.replies.xattr.asked(size));
    }

    private static void listxattr(FuseFileSystem fs, HandledExchange x) {
        int size = x.argumentSize(Abi.GETXATTR_IN_SIZE);
        fs.listxattr(x.request, x.node(), size, x.replies.xattrNames.asked(size));
    }
}
