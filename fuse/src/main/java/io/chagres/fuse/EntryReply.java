package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;

/** The answer to an operation that finds or makes a name ({@code struct fuse_entry_out}). */
public final class EntryReply extends Reply {
    EntryReply(Exchange exchange) {
        super(exchange);
    }

    /**
     * Returns attributes to fill, so that none need be made.
     *
     * @return cleared; of this request
     */
    public Attributes attributes() {
        return exchange.attributes.clear();
    }

    /**
     * Answers with the node of the name and counts one lookup of it: the kernel knows the number until as many lookups
     * were forgotten.
     *
     * @param node its number, not 0
     * @param attributes its attributes, and how long the kernel may keep them; borrowed
     */
    public void entry(long node, Attributes attributes) {
        if (node == 0) {
            throw new IllegalArgumentException("0 is no node: a name that does not exist is ENOENT, or missing()");
        }
        attributes.writeEntry(exchange.body, exchange.bodyAt, node);
        exchange.answer(Abi.ENTRY_OUT);
    }

    /**
     * Answers that there is no such name and that the kernel may believe so for a while. Only for a lookup.
     *
     * @param timeoutNs how long, nanoseconds; 0 is the same as the error ENOENT
     */
    public void missing(long timeoutNs) {
        if (timeoutNs == 0) {
            exchange.answerError(Errno.ENOENT);
            return;
        }
        exchange.attributes.clear().entryTimeoutNs(timeoutNs).writeEntry(exchange.body, exchange.bodyAt, 0);
        exchange.answer(Abi.ENTRY_OUT);
    }
}
