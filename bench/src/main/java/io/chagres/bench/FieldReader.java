package io.chagres.bench;

/** A callback with a state. */
final class FieldReader {
    long value = 1;

    long read(long ignored) {
        return value;
    }
}
