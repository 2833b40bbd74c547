package io.chagres.fuse;

/** Reads the arguments of one request and calls the file system. One for each opcode. */
@FunctionalInterface
interface Operation {
    /** Handles a request. An exception is answered with EIO. */
    void run(FuseFileSystem fileSystem, HandledExchange exchange);

    /** Takes the operations, one by one. */
    @FunctionalInterface
    interface Registry {
        /**
         * Takes one.
         *
         * @param argumentBytes the size of the structure between header and payload
         */
        void add(int opcode, int argumentBytes, Operation operation);
    }
}
