package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests about locks: ranges of fcntl(2) and whole files of flock(2) share their structure. */
final class LockOperations {
    private LockOperations() {}

    static void addTo(Operation.Registry all) {
        all.add(Opcode.GETLK, Abi.LK_IN, LockOperations::getlk);
        all.add(Opcode.SETLK, Abi.LK_IN, (fs, x) -> setlk(fs, x, false));
        all.add(Opcode.SETLKW, Abi.LK_IN, (fs, x) -> setlk(fs, x, true));
    }

    private static void getlk(FuseFileSystem fs, HandledExchange x) {
        fs.getlk(x.request, x.node(), x.argumentLong(Abi.LK_IN_FH), lock(x), x.replies.lock);
    }

    private static void setlk(FuseFileSystem fs, HandledExchange x, boolean waits) {
        long handle = x.argumentLong(Abi.LK_IN_FH);
        FileLock lock = lock(x);
        if ((x.argumentInt(Abi.LK_IN_LK_FLAGS) & Abi.LK_FLOCK) != 0) {
            fs.flock(x.request, x.node(), handle, lock, waits, x.replies.empty);
        } else {
            fs.setlk(x.request, x.node(), handle, lock, waits, x.replies.empty);
        }
    }

    private static FileLock lock(HandledExchange x) {
        long owner = x.argumentLong(Abi.LK_IN_OWNER);
        x.request.lockOwner(owner);
        return x.lock.set(
                owner,
                x.argumentLong(Abi.LK_IN_START),
                x.argumentLong(Abi.LK_IN_END),
                x.argumentInt(Abi.LK_IN_TYPE),
                x.argumentInt(Abi.LK_IN_PID));
    }
}
