package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/**
 * An ioctl(2) on a file ({@code struct fuse_ioctl_in}). The kernel copies the argument as the size in the command says.
 * A view that is valid as long as its {@link Request}.
 */
public final class IoctlCall {
    /** The caller is a 32-bit program. */
    public static final int FUSE_IOCTL_COMPAT = 1;

    /** It is called on a directory. */
    public static final int FUSE_IOCTL_DIR = 1 << 4;

    private final Exchange exchange;
    private final Payload input;

    IoctlCall(Exchange exchange, Payload input) {
        this.exchange = exchange;
        this.input = input;
    }

    /**
     * Returns the number of the request.
     *
     * @return the request number of ioctl(2)
     */
    public int command() {
        return exchange.argumentInt(Abi.IOCTL_IN_CMD);
    }

    /**
     * Returns the argument itself: a number, or an address in the caller's memory.
     *
     * @return as the caller gave it
     */
    public long argument() {
        return exchange.argumentLong(Abi.IOCTL_IN_ARG);
    }

    /**
     * Returns how it is called.
     *
     * @return {@code FUSE_IOCTL_} bits
     */
    public int flags() {
        return exchange.argumentInt(Abi.IOCTL_IN_FLAGS);
    }

    /**
     * Returns what the argument points to, for commands that pass something in.
     *
     * @return as long as the command says; maybe empty
     */
    public Payload input() {
        return input;
    }

    /**
     * Returns how much may come back.
     *
     * @return bytes, as the command says
     */
    public int outputLength() {
        return exchange.argumentSize(Abi.IOCTL_IN_OUT_SIZE);
    }
}
