package io.chagres.ship.file;

/** Facts that are true of a file, or not: a bit each, see {@link Tail#has}. */
public enum TailFact {
    /** An event named it, or a change was seen, since it had a turn. */
    TOUCHED,
    /** A writer closed it, or none is left, since it was read to its end. */
    CLOSED_BY_WRITER,
    /** The file that it was compressed from was sought. */
    DERIVED_SOUGHT,
    /** It was looked at in this step of the shipper, and nothing happened to it since. */
    LOOKED_AT_NOW,
    /** Its handle is known to hold no more than its identity. */
    HANDLE_REMADE,
    /** It did not give the bytes of an object: up to its end it is read piece by piece, as far as it can be read. */
    IN_PIECES,
    /** Its descriptor was used since it was last asked to give it back. */
    USED_LATELY,
    /** Somebody may hold its object, beside the queues: it is not given up before its version ends. */
    HELD;

    int bit() {
        return 1 << ordinal();
    }
}
