package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/**
 * The answer to write and copyFileRange ({@code struct fuse_write_out}, {@code struct fuse_copy_file_range_out}).
 */
public final class WriteReply extends Reply {
    WriteReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Answers how much was written.
     *
     * @param length bytes; less than was asked for makes the caller try again or give up
     */
    public void written(long length) {
        // The two structures are one for values below 4 GiB, and writes are shorter.
        Abi.putLong(exchange.body, exchange.bodyAt, length);
        exchange.answer(Abi.WRITE_OUT);
    }
}
