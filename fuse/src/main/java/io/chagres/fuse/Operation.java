package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;
import org.jspecify.annotations.Nullable;

/** Reads the arguments of one request and calls the file system. One for each opcode. */
@FunctionalInterface
interface Operation {
    /** Handles a request. An exception is answered with EIO. */
    void run(FuseFileSystem fileSystem, HandledExchange exchange);

    /** All operations, by opcode. */
    final class Table {
        private static final @Nullable Operation[] OPERATIONS = new @Nullable Operation[Opcode.COUNT];
        private static final int[] ARGUMENTS = new int[Opcode.COUNT];

        static {
            NameOperations.addTo();
            AttributeOperations.addTo();
            FileOperations.addTo();
            DirectoryOperations.addTo();
            LockOperations.addTo();
            ControlOperations.addTo();
        }

        private Table() {}

        static void add(int opcode, int argumentBytes, Operation operation) {
            OPERATIONS[opcode] = operation;
            ARGUMENTS[opcode] = argumentBytes;
        }

        /** Returns null for an opcode that nobody here knows. */
        static @Nullable Operation of(int opcode) {
            return opcode >= 0 && opcode < Opcode.COUNT ? OPERATIONS[opcode] : null;
        }

        /** Returns the size of the structure between header and payload. */
        static int argumentBytes(int opcode, boolean longSetxattr) {
            if (opcode == Opcode.SETXATTR && !longSetxattr) {
                return Abi.COMPAT_SETXATTR_IN;
            }
            return opcode >= 0 && opcode < Opcode.COUNT ? ARGUMENTS[opcode] : 0;
        }
    }
}
