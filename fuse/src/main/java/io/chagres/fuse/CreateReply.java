package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;

/** The answer to create and tmpfile: an entry that is open. */
public final class CreateReply extends Reply {
    CreateReply(Exchange exchange) {
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
     * Answers that the file exists and is open, and counts one lookup of its node.
     *
     * @param node its number, not 0
     * @param attributes its attributes, and how long the kernel may keep them; borrowed
     * @param handle what later requests on this open file name it by; any number
     * @param flags constants of {@link OpenReply}; those of the agreed {@link FuseFeature}s are added
     */
    public void created(long node, Attributes attributes, long handle, int flags) {
        attributes.writeEntry(exchange.body, exchange.bodyAt, node);
        OpenReply.write(exchange, Abi.ENTRY_OUT, handle, flags);
        exchange.answer(Abi.ENTRY_OUT + Abi.OPEN_OUT);
    }

    /**
     * Answers that the file exists and is open, counts one lookup of its node, and lets the kernel read and write the
     * file behind it itself, see {@link OpenReply#opened(long, int, int)}.
     *
     * @param node its number, not 0
     * @param attributes its attributes, and how long the kernel may keep them; borrowed
     * @param handle what later requests on this open file name it by; any number
     * @param flags as there
     * @param backing what {@link Notifier#openBackingFile} returned; not to be closed before the file is released
     */
    public void created(long node, Attributes attributes, long handle, int flags, int backing) {
        attributes.writeEntry(exchange.body, exchange.bodyAt, node);
        OpenReply.writePassthrough(exchange, Abi.ENTRY_OUT, handle, flags, backing);
        exchange.answer(Abi.ENTRY_OUT + Abi.OPEN_OUT);
    }
}
