package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to open and opendir ({@code struct fuse_open_out}). */
public final class OpenReply extends Reply {
    OpenReply(Exchange exchange) {
        super(exchange);
    }

    /** Reads and writes go past the page cache. */
    public static final int DIRECT_IO = 1;

    /** The pages cached when the file was open before are still right. */
    public static final int KEEP_CACHE = 1 << 1;

    /** The file has no positions. */
    public static final int NONSEEKABLE = 1 << 2;

    /** The kernel may keep the list of names of this directory. */
    public static final int CACHE_DIR = 1 << 3;

    /** The file is a stream: no positions, and no lock among readers and writers. */
    public static final int STREAM = 1 << 4;

    /** No flush when a descriptor is closed. */
    public static final int NOFLUSH = 1 << 5;

    /** Several writes past the page cache may be in progress at once. */
    public static final int PARALLEL_DIRECT_WRITES = 1 << 6;

    private static final int PASSTHROUGH = 1 << 7;

    /**
     * Answers that the file is open.
     *
     * @param handle what later requests on this open file name it by; any number
     * @param flags constants of {@link OpenReply}; those of the agreed {@link FuseFeature}s are added
     */
    public void opened(long handle, int flags) {
        write(exchange, 0, handle, flags);
        exchange.answer(Abi.OPEN_OUT);
    }

    /**
     * Answers that the file is open and that the kernel reads and writes the file behind it itself. All who have a node
     * open at one time must be answered so, and with the same backing file, or none.
     *
     * @param handle what later requests on this open file name it by; any number
     * @param flags {@link #DIRECT_IO}, {@link #PARALLEL_DIRECT_WRITES}, {@link #NOFLUSH} or 0
     * @param backing what {@link Notifier#openBackingFile} returned; not to be closed before the file is released
     */
    public void opened(long handle, int flags, int backing) {
        writePassthrough(exchange, 0, handle, flags, backing);
        exchange.answer(Abi.OPEN_OUT);
    }

    static void write(Exchange exchange, int at, long handle, int flags) {
        int added = exchange.context.openFlags(exchange.opcode());
        write(exchange, at, handle, flags | added, 0);
    }

    /** The kernel takes none of the flags about pages for a file whose pages are another's. */
    static void writePassthrough(Exchange exchange, int at, long handle, int flags, int backing) {
        if (backing <= 0) {
            throw new IllegalArgumentException(backing + " is no backing file");
        }
        write(exchange, at, handle, flags | PASSTHROUGH, backing);
    }

    private static void write(Exchange exchange, int at, long handle, int flags, int backing) {
        Abi.putLong(exchange.body, exchange.bodyAt + at + Abi.OPEN_OUT_FH, handle);
        Abi.putInt(exchange.body, exchange.bodyAt + at + Abi.OPEN_OUT_OPEN_FLAGS, flags);
        Abi.putInt(exchange.body, exchange.bodyAt + at + Abi.OPEN_OUT_BACKING_ID, backing);
    }
}
