package io.chagres.archive.store;

import java.util.List;

/** Objects that a store listed at once. Immutable.
 *
 * @param objects in the order of the bytes of their keys; at least one, unless it is the last page
 * @param isLast whether it is known that no other key follows
 */
public record BlobPage(List<BlobInfo> objects, boolean isLast) {
    /** Returns the first page of objects that are listed already. */
    public static BlobPage of(List<BlobInfo> objects, int maxObjects) {
        boolean isLast = objects.size() <= maxObjects;
        return new BlobPage(isLast ? objects : objects.subList(0, maxObjects), isLast);
    }
}
