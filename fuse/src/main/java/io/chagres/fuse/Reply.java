package io.chagres.fuse;

/**
 * The answer to a request. Every request is answered exactly once, by a method of its kind of reply or with an error; a
 * second answer throws IllegalStateException. A handler that returns without an answer answers EIO, unless it called
 * {@link #defer()}.
 *
 * <p>Belongs to the thread of the handler, and after {@link #defer()} to the thread that answers. Valid until the
 * answer; the object is then used for another request. Answers allocate nothing.
 */
public abstract class Reply {
    final Exchange exchange;

    Reply(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * Answers that the operation failed.
     *
     * @param errno a constant of {@link io.chagres.foreign.Errno}, 1 to 511
     * @throws IllegalStateException if the request is answered already
     */
    public final void error(int errno) {
        exchange.answerError(errno);
    }

    /**
     * Keeps request, names, data and this reply valid after the handler returned, until some thread answers. How many
     * requests can wait so is bounded, see {@link FuseOptions#maxConcurrent()}: no more are read beyond it.
     *
     * @throws IllegalStateException if the request is answered already
     */
    public final void defer() {
        exchange.defer();
    }

    /**
     * Returns whether the answer was given.
     *
     * @return true after it
     */
    public final boolean isAnswered() {
        return exchange.isClaimed();
    }
}
