package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/**
 * The range that a copy_file_range(2) copies ({@code struct fuse_copy_file_range_in}). A view that is valid as long as
 * its {@link Request}.
 */
public final class CopyRange {
    private final Exchange exchange;

    CopyRange(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * Returns the open file read from.
     *
     * @return the handle given at open
     */
    public long handle() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_FH_IN);
    }

    /**
     * Returns where to read.
     *
     * @return bytes from the start of the file
     */
    public long position() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_OFF_IN);
    }

    /**
     * Returns the node written to.
     *
     * @return its number
     */
    public long targetNode() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_NODEID_OUT);
    }

    /**
     * Returns the open file written to.
     *
     * @return the handle given at open
     */
    public long targetHandle() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_FH_OUT);
    }

    /**
     * Returns where to write.
     *
     * @return bytes from the start of the file
     */
    public long targetPosition() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_OFF_OUT);
    }

    /**
     * Returns how much to copy at most.
     *
     * @return bytes
     */
    public long length() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_LEN);
    }

    /**
     * Returns the flags of the call.
     *
     * @return 0: none is defined
     */
    public long flags() {
        return exchange.argumentLong(Abi.COPY_FILE_RANGE_IN_FLAGS);
    }
}
