package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.TableSection;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table may be damaged: the commits say the same as long as they are there. */
class DamagedTablesTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();

    /** Commits 1 to 4, a checkpoint, commits 5 and 6, tables, commit 7, a checkpoint, commit 8. */
    @BeforeEach
    void write() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long file = host.file("/a", "first\n");
            for (int i = 1; i <= 8; i++) {
                host.inline(file, "line " + i + "\n");
                host.file("/f" + i, "of " + i);
                host.commit();
                if (i == 6) {
                    SpanTables.write(store, ID, 6, Map.of());
                } else if (i == 4 || i == 7) {
                    compact();
                }
            }
        }
        assertThat(store.keys("/checkpoints/")).hasSize(2);
        assertThat(store.keys("/tables/")).hasSize(2);
    }

    /** Removes nothing. */
    private void compact() throws IOException {
        CompactOptions options = new CompactOptions(86_400_000, 0, 1, 1 << 20, false);
        new Compact(store, options, store::nowMs, Undamaged.COMPACT).host(ID);
    }

    private String newestCheckpoint() {
        return store.keys("/checkpoints/").getLast();
    }

    private static List<String> text(BlobStore of, PointInTime at) throws IOException {
        return StateText.of(HostLog.load(of, ID, at, ExtentFilter.NONE, RunListener.NONE));
    }

    /** Counts what a listener hears. */
    private static final class Heard implements RunListener {
        final List<LogRecord> told = new ArrayList<>();

        @Override
        public void opened(LogRecord.VersionOpened opened) {
            told.add(opened);
        }

        @Override
        public void extent(LogRecord.Extent extent) {
            told.add(extent);
        }

        @Override
        public void restart() {
            told.clear();
        }
    }

    @Test
    void anyBitOfTheNewestCheckpointMayFlip() throws IOException {
        List<String> before = text(store, PointInTime.NOW);
        byte[] bytes = store.bytes(newestCheckpoint());
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= 1;
            assertThat(text(store, PointInTime.NOW)).as("byte %d", i).isEqualTo(before);
            bytes[i] ^= 1;
        }
    }

    @Test
    void theWriterNamesATableThatIsDamaged() throws IOException {
        MemoryStore other = new MemoryStore();
        try (Host host = new Host(other, ID, "web1")) {
            for (int i = 1; i <= 2; i++) {
                host.file("/f" + i, "of " + i);
                assertThat(SpanTables.write(other, ID, host.commit(), Map.of())).isNull();
            }
            String key = other.keys("/names/").getFirst();
            other.replace(key, new byte[1000]);
            host.file("/f3", "of 3");
            assertThat(SpanTables.write(other, ID, host.commit(), Map.of())).startsWith(key);
        }
    }

    /** A table of fewer commits has the header of one of more: they end at the same. */
    @Test
    void aTableMayLieWhereAnotherBelongs() throws IOException {
        MemoryStore other = new MemoryStore();
        try (Host host = new Host(other, ID, "web1")) {
            for (int i = 1; i <= 2; i++) {
                host.file("/f" + i, "of " + i);
                SpanTables.write(other, ID, host.commit(), Map.of());
            }
            List<String> before = text(other, PointInTime.NOW);
            for (TableSection section : TableSection.values()) {
                String last = ArchiveLayout.table(ID, CheckpointId.BEGINNING, section, new CommitSpan(1, 2));
                String both = ArchiveLayout.table(ID, CheckpointId.BEGINNING, section, new CommitSpan(0, 2));
                other.replace(both, other.bytes(last));
            }
            assertThat(text(other, PointInTime.NOW)).isEqualTo(before);
        }
    }

    @Test
    void allTablesMayBeDamaged() throws IOException {
        List<List<String>> expected = new ArrayList<>();
        for (int seq = 1; seq <= 8; seq++) {
            expected.add(text(store, PointInTime.seq(seq)));
        }
        for (String key : store.keys()) {
            if (key.contains("/checkpoints/") || key.contains("/tables/")) {
                store.replace(key, new byte[] {1, 2, 3});
            }
        }
        for (int seq = 1; seq <= 8; seq++) {
            assertThat(text(store, PointInTime.seq(seq))).isEqualTo(expected.get(seq - 1));
        }
        Heard heard = new Heard();
        HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.NONE, heard);
        assertThat(heard.told).doesNotHaveDuplicates().hasSize(9 + 17);
    }

    /** Damage behind a part that was taken over already must not be reported twice. */
    @Test
    void listenerHearsEachThingOnce() throws IOException {
        byte[] bytes = store.bytes(newestCheckpoint());
        bytes[bytes.length / 2] ^= 4;
        Heard heard = new Heard();
        HostLog.replay(store, ID, ExtentFilter.NONE, heard);
        assertThat(heard.told).doesNotHaveDuplicates();
        assertThat(heard.told.stream().filter(LogRecord.VersionOpened.class::isInstance))
                .hasSize(9);
    }

    @Test
    void damageThatCannotBeReadAroundIsNamed() throws IOException {
        store.delete(ArchiveLayout.commit(ID, 6));
        store.keys("/tables/").forEach(store::delete);
        store.bytes(newestCheckpoint())[20] ^= 1;
        assertThatThrownBy(() -> text(store, PointInTime.NOW))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(newestCheckpoint());
        assertThat(text(store, PointInTime.seq(5))).isNotEmpty();
    }

    /** With the commits gone there is no other way: an older state is not what was asked for. */
    @Test
    void anOlderStateIsNotTakenForTheNewest() throws IOException {
        store.keys("/tables/").forEach(store::delete);
        for (int seq = 5; seq <= 8; seq++) {
            store.delete(ArchiveLayout.commit(ID, seq));
        }
        store.bytes(newestCheckpoint())[20] ^= 1;
        assertThatThrownBy(() -> text(store, PointInTime.NOW))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(newestCheckpoint());
    }

    /** Bytes that flip on the way to here are fetched again before they count as damage. */
    @Test
    void aBadAnswerIsNoDamage() throws IOException {
        String wanted = newestCheckpoint();
        List<String> asked = new ArrayList<>();
        BlobStore flips = new ForwardingStore(store) {
            @Override
            public int get(String key, long offset, MemorySegment target) throws IOException {
                int got = super.get(key, offset, target);
                boolean first = key.equals(wanted) && !asked.contains(key);
                asked.add(key);
                if (first) {
                    byte at = target.get(ValueLayout.JAVA_BYTE, got / 2);
                    target.set(ValueLayout.JAVA_BYTE, got / 2, (byte) (at ^ 8));
                }
                return got;
            }
        };
        text(flips, PointInTime.NOW);
        assertThat(asked).contains(ArchiveLayout.commit(ID, 8)).doesNotContain(ArchiveLayout.commit(ID, 7));
    }
}
