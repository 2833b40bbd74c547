package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to getlk ({@code struct fuse_lk_out}). */
public final class LockReply extends Reply {
    LockReply(Exchange exchange) {
        super(exchange);
    }

    /** Answers that nothing is in the way. */
    public void free() {
        write(0, Long.MAX_VALUE, FileLock.F_UNLCK, 0);
    }

    /**
     * Answers with a lock that is in the way.
     *
     * @param lock one of them; borrowed
     */
    public void held(FileLock lock) {
        write(lock.start(), lock.end(), lock.type(), lock.pid());
    }

    private void write(long start, long end, int type, int pid) {
        long at = exchange.bodyAt;
        Abi.putLong(exchange.body, at + Abi.LK_OUT_START, start);
        Abi.putLong(exchange.body, at + Abi.LK_OUT_END, end);
        Abi.putInt(exchange.body, at + Abi.LK_OUT_TYPE, type);
        Abi.putInt(exchange.body, at + Abi.LK_OUT_PID, pid);
        exchange.answer(Abi.LK_OUT);
    }
}
