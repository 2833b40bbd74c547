package io.chagres.archive.store;

import java.util.List;

/** The objects that one request lists. Immutable.
 *
 * @param objects in the order of the bytes of their keys
 * @param isLast whether no other key follows
 */
public record BlobPage(List<BlobInfo> objects, boolean isLast) {}
