package io.chagres.spark;

/** Says that an option of a reader makes no sense; its message is for people. */
final class BadOptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    BadOptionException(String message) {
        super(message);
    }
}
