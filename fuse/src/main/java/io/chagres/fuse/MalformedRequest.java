package io.chagres.fuse;

/** The kernel sent something that this version of the protocol does not allow. Answered with EIO and logged. */
final class MalformedRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedRequest(String message) {
        super(message);
    }
}
