package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;

/** Requests about the connection itself. */
final class ControlOperations {
    private ControlOperations() {}

    static void addTo() {
        Operation.Table.add(Opcode.INIT, Abi.INIT_IN, (fs, x) -> x.session.init(x));
        Operation.Table.add(Opcode.DESTROY, 0, (fs, x) -> x.replies.empty.done());
        Operation.Table.add(Opcode.INTERRUPT, Abi.INTERRUPT_IN, ControlOperations::interrupt);
        Operation.Table.add(Opcode.NOTIFY_REPLY, Abi.NOTIFY_RETRIEVE_IN, ControlOperations::retrieved);
        Operation.Table.add(Opcode.SYNCFS, Abi.SYNCFS_IN, (fs, x) -> fs.syncfs(x.request, x.node(), x.replies.empty));
    }

    /** Requests that are handled where they are read: what comes behind them may depend on them. */
    static boolean isImmediate(int opcode) {
        return switch (opcode) {
            case Opcode.INIT,
                    Opcode.DESTROY,
                    Opcode.INTERRUPT,
                    Opcode.NOTIFY_REPLY,
                    Opcode.FORGET,
                    Opcode.BATCH_FORGET -> true;
            default -> false;
        };
    }

    private static void interrupt(FuseFileSystem fs, HandledExchange x) {
        long unique = x.argumentLong(Abi.INTERRUPT_IN_UNIQUE);
        if (x.session.interrupt(unique)) {
            fs.interrupt(unique);
            x.finishSilently();
        } else if (x.session.isOverRing()) {
            // It is kept for a request that begins later: the kernel does not ask again.
            x.finishSilently();
        } else {
            // Not begun yet by the thread that read it, or answered already: the kernel knows which, and asks again.
            x.answerError(Errno.EAGAIN);
        }
    }

    private static void retrieved(FuseFileSystem fs, HandledExchange x) {
        int size = x.argumentInt(Abi.NOTIFY_RETRIEVE_IN_SIZE);
        long position = x.argumentLong(Abi.NOTIFY_RETRIEVE_IN_OFFSET);
        x.session.notifier.retrieved(x.request.unique, position, x.payload(x.payloadAt, size, 0));
        x.finishSilently();
    }
}
