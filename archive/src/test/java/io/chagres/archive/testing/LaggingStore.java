package io.chagres.archive.testing;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store whose listings show objects late; an object that is asked for by its key is there at once. */
public final class LaggingStore extends ForwardingStore {
    private final long lagMs;

    /** Stands before a store, by whose clock listings lag. */
    public LaggingStore(MemoryStore store, long lagMs) {
        super(store);
        this.lagMs = lagMs;
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        long untilMs = store.nowMs() - lagMs;
        List<BlobInfo> shown = BlobList.all(store, prefix, afterKey).stream()
                .filter(object -> object.modifiedMs() <= untilMs)
                .toList();
        return BlobPage.of(shown, maxObjects);
    }
}
