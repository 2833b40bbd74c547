package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;
import org.jspecify.annotations.Nullable;

/**
 * All operations of a file system, by opcode. Those of the connection itself are not among them: its {@link Session}
 * handles them where they are read, since what comes behind them may depend on them.
 */
final class Operations {
    private static final @Nullable Operation[] OPERATIONS = new @Nullable Operation[Opcode.COUNT];
    private static final int[] ARGUMENTS = new int[Opcode.COUNT];

    static {
        NameOperations.addTo(Operations::add);
        AttributeOperations.addTo(Operations::add);
        FileOperations.addTo(Operations::add);
        DirectoryOperations.addTo(Operations::add);
        LockOperations.addTo(Operations::add);
        ARGUMENTS[Opcode.INIT] = Abi.INIT_IN;
        ARGUMENTS[Opcode.INTERRUPT] = Abi.INTERRUPT_IN;
        ARGUMENTS[Opcode.NOTIFY_REPLY] = Abi.NOTIFY_RETRIEVE_IN;
        ARGUMENTS[Opcode.FORGET] = Abi.FORGET_IN;
        ARGUMENTS[Opcode.BATCH_FORGET] = Abi.BATCH_FORGET_IN;
    }

    private Operations() {}

    private static void add(int opcode, int argumentBytes, Operation operation) {
        OPERATIONS[opcode] = operation;
        ARGUMENTS[opcode] = argumentBytes;
    }

    /** Returns null for an opcode of the connection, and for one that nobody here knows. */
    static @Nullable Operation of(int opcode) {
        return opcode >= 0 && opcode < Opcode.COUNT ? OPERATIONS[opcode] : null;
    }

    /** Says whether a request is about the connection itself. */
    static boolean isOfConnection(int opcode) {
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

    /** Returns the size of the structure between header and payload. */
    static int argumentBytes(int opcode, boolean longSetxattr) {
        if (opcode == Opcode.SETXATTR && !longSetxattr) {
            return Abi.COMPAT_SETXATTR_IN;
        }
        return opcode >= 0 && opcode < Opcode.COUNT ? ARGUMENTS[opcode] : 0;
    }
}
