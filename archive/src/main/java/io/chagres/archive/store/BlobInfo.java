package io.chagres.archive.store;

/**
 * Describes one object of a store. Immutable.
 *
 * @param key its key
 * @param lengthBytes its size
 * @param modifiedMs when the store took it, milliseconds since 1970 by the store's clock
 */
public record BlobInfo(String key, long lengthBytes, long modifiedMs) {}
