package io.chagres.archive;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Records that a person knows what became of a host. Its key names the last object in which the host said something. A
 * later heartbeat of the host is under another key, so it makes this void. It consists of lines {@code key=value},
 * which people may read. Immutable.
 *
 * @param of the key of the object that was seen
 * @param by who says so
 * @param timeMs the clock there, milliseconds since 1970
 */
public record Acknowledgement(String of, String by, long timeMs) {
    /** Puts it; returns false when it was said before. */
    public boolean put(BlobStore store) throws IOException {
        return new TextRecord()
                .with("of", of)
                .with("by", TextRecord.line(by))
                .with("time", timeMs)
                .put(store, ArchiveLayout.acknowledgement(of));
    }

    /** Returns when the store took that of an object; null when nobody has acknowledged it. One request. */
    public static @Nullable BlobInfo of(BlobStore store, String of) throws IOException {
        String key = ArchiveLayout.acknowledgement(of);
        BlobInfo first = BlobList.first(store, key);
        return first != null && first.key().equals(key) ? first : null;
    }
}
