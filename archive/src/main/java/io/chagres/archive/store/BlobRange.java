package io.chagres.archive.store;

/**
 * A part of an object, which may end before the part does.
 *
 * @param offset of its first byte in the object
 * @param lengthBytes how many bytes at most
 */
public record BlobRange(String key, long offset, int lengthBytes) {
    /** Says whether a position of an object lies in it. */
    boolean holds(String object, long position) {
        return position >= offset && position - offset < lengthBytes && key.equals(object);
    }
}
