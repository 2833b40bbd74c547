package io.chagres.archive.state;

/** A host has more names and versions than are to be in memory: it is loaded into a local table instead. */
final class LargeHostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LargeHostException() {
        super("a host with more names than are to be in memory", null, false, false);
    }
}
