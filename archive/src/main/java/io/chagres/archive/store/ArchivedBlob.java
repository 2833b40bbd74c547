package io.chagres.archive.store;

/**
 * An object in an archive tier: it is there, and the store gives its bytes only after somebody asked for it. Immutable.
 *
 * @param key its key
 * @param lengthBytes its size as it is stored
 * @param tier what the vendor calls the tier
 * @param isAsked whether somebody has asked for it already, and it is on its way
 */
public record ArchivedBlob(String key, long lengthBytes, String tier, boolean isAsked) {}
