package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.state.KeyCheck;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A host whose recipients changed: an identity of the later ones opens the end of its log, and nothing before. */
class RotatedKeysTest {
    private static final String ID = "0123456789abcdef";

    private final AgeIdentity earlier = AgeIdentity.generate();
    private final AgeIdentity later = AgeIdentity.generate();
    private final MemoryStore store = new MemoryStore();

    private BlobStore writing(AgeIdentity to) {
        List<AgeRecipient> recipients = List.of(to.recipient());
        return ProtectedStore.of(store, new KeyRing(List.of(earlier, later), recipients, recipients));
    }

    private BlobStore reading(AgeIdentity... identities) {
        return ProtectedStore.of(store, KeyRing.reading(List.of(identities)));
    }

    private void ship(AgeIdentity to, boolean isFirst) throws IOException {
        try (Host host = new Host(writing(to), ID, "web1")) {
            String recipient = to.recipient().toString();
            if (isFirst) {
                host.write(new LogRecord.Recipients(recipient, recipient));
            }
            for (int i = 0; i < 6; i++) {
                host.file("/f" + store.keys().size(), "line\n");
                host.commit();
            }
        }
    }

    private void compact() throws IOException {
        new Compact(
                        reading(earlier, later),
                        new CompactOptions(0, 0, 1, 1 << 20, false),
                        () -> Long.MAX_VALUE,
                        Undamaged.COMPACT)
                .host(ID);
    }

    private List<String> repair(boolean applies, AgeIdentity... identities) throws IOException {
        List<String> steps = new ArrayList<>();
        new Repair(reading(identities), ID, store::nowMs, (action, object, why, consequence) -> steps.add(object + why))
                .run(applies);
        return steps;
    }

    private void requireLeft() throws IOException {
        List<String> keys = List.copyOf(store.keys());
        for (boolean applies : new boolean[] {false, true}) {
            assertThatThrownBy(() -> repair(applies, later)).isInstanceOf(EncryptedException.class);
            assertThat(store.keys()).containsExactlyElementsOf(keys);
        }
        assertThat(repair(true, earlier, later)).isEmpty();
    }

    @Test
    void repairLeavesCommitsForEarlierRecipients() throws IOException {
        ship(earlier, true);
        ship(later, true);
        requireLeft();
    }

    @Test
    void repairLeavesACheckpointForEarlierRecipients() throws IOException {
        ship(earlier, true);
        compact();
        ship(later, true);
        requireLeft();
    }

    @Test
    void repairLeavesAHistoryForEarlierRecipients() throws IOException {
        ship(earlier, true);
        compact();
        ship(later, true);
        compact();
        ship(later, false);
        requireLeft();
    }

    /** Nobody knows then to which recipients the checkpoint before it is encrypted. */
    @Test
    void repairTakesNothingForDamagedWhereTheCommitThatStatesRecipientsIs() throws IOException {
        ship(earlier, true);
        compact();
        List<String> before = List.copyOf(store.keys());
        ship(later, true);
        String states = store.keys().stream()
                .filter(key -> key.contains("/log/") && !before.contains(key))
                .findFirst()
                .orElseThrow();
        byte[] damaged = store.bytes(states).clone();
        damaged[damaged.length / 2] ^= 1;
        store.replace(states, damaged);
        List<String> keys = List.copyOf(store.keys());
        assertThatThrownBy(() -> repair(true, later)).isInstanceOf(EncryptedException.class);
        assertThat(store.keys()).containsExactlyElementsOf(keys);
    }

    @Test
    void aCommitInTheClearSaysNothingOfAnIdentity() throws IOException {
        ship(earlier, true);
        try (Host host = new Host(reading(earlier), ID, "web1")) {
            host.write(LogRecord.Recipients.NONE);
            host.commit();
        }
        EncryptedException failed = new EncryptedException("hosts/" + ID + "/log/0000000000000001.zst", 1, 1);
        assertThatThrownBy(() -> KeyCheck.ofObject(reading(later), ID, failed)).isSameAs(failed);
        assertThat(KeyCheck.ofObject(reading(earlier), ID, failed)).isInstanceOf(CorruptArchiveException.class);
    }
}
