package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Removing what a compaction without a grace period replaced, where the store's clock or its answers are odd. */
class SweepTest {
    private static final String ID = "0123456789abcdef";
    private static final CompactOptions NOW = new CompactOptions(0, 0, 1, 1 << 20, false);

    private final MemoryStore objects = new MemoryStore();

    private CompactSummary compact(BlobStore store) throws IOException {
        return new Compact(store, NOW, objects::nowMs, Undamaged.COMPACT).host(ID);
    }

    /** A server says its time in whole seconds, some the second before: what was put just now is not of the future. */
    @Test
    void withoutGraceNoClockKeepsWhatWasReplaced() throws IOException {
        BlobStore late = new ForwardingStore(objects) {
            @Override
            public long nowMs() {
                return objects.nowMs() - 2000;
            }
        };
        try (Host host = new Host(objects, ID, "web1")) {
            host.file("/a", "first");
            host.commit();
            CompactSummary summary = compact(late);
            assertThat(summary.commitsRemoved()).isOne();
            assertThat(objects.keys("/log/")).isEmpty();
            assertThat(host.differing()).isEmpty();
        }
    }

    /** Something before the store that knows no deletions may answer so; an object that is gone is no error. */
    @Test
    void aDeletionThatIsAnsweredByNotFoundIsRefused() throws IOException {
        BlobStore keeping = new ForwardingStore(objects) {
            @Override
            public void delete(String key) throws IOException {
                throw new NoSuchBlobException(key);
            }
        };
        try (Host host = new Host(objects, ID, "web1")) {
            host.file("/a", "first");
            host.commit();
            assertThatThrownBy(() -> compact(keeping)).isInstanceOf(NoSuchBlobException.class);
            assertThat(host.differing()).isEmpty();
        }
    }
}
