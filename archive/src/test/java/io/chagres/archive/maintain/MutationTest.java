package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.verify.Verify;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Changes objects of an archive at random, and asks everything that reads them: what is given is the truth, or it is
 * said what is wrong. {@code -Dmutations=N} tries more than the few of a normal run.
 */
@Tag("long")
class MutationTest {
    private static final String ID = "0123456789abcdef";

    private final RandomGenerator random = Seeds.random(Seeds.next("MutationTest"));
    private final MemoryStore whole = new MemoryStore();
    private final Map<Long, byte[]> truth = new HashMap<>();

    @BeforeEach
    void write() throws IOException {
        try (Host host = new Host(whole, ID, "web1")) {
            byte[] text = "a line that is repeated\n".repeat(15_000).getBytes();
            host.directory("/d");
            long grows = host.file("/d/grows", "first\n");
            long big = host.file("/d/big");
            host.object(big, text, Codec.ZSTD);
            host.object(big, Arrays.copyOf(text, 1000), Codec.NONE);
            host.object(big, text, Codec.GZIP);
            for (int i = 1; i <= 12; i++) {
                host.inline(grows, "line " + i + "\n");
                long file = host.file("/d/f" + i, "of " + i);
                host.commit();
                if (i == 4) {
                    compact(whole);
                } else if (i == 6) {
                    host.move("/d/f1", "/d/moved");
                    host.copy(file, big, 100, 2000);
                } else if (i == 8) {
                    SpanTables.write(whole, ID, 8, Map.of());
                    host.zeros(file, 70_000);
                    host.remove("/d/f2");
                }
            }
            host.written.forEach((id, bytes) -> truth.put(id, bytes.toByteArray()));
        }
    }

    private static void compact(MemoryStore store) throws IOException {
        new Compact(store, new CompactOptions(86_400_000, 0, 1, 1 << 20, false), store::nowMs, (subject, cause) -> {})
                .host(ID);
    }

    private byte[] mutated(byte[] bytes) {
        byte[] changed = bytes.clone();
        int at = changed.length == 0 ? 0 : random.nextInt(changed.length);
        int to = Math.min(changed.length, at + 1 + random.nextInt(64));
        switch (changed.length == 0 ? 3 : random.nextInt(7)) {
            case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> changed[at] = (byte) random.nextInt();
            case 2 -> changed = Arrays.copyOf(changed, at);
            case 3 -> changed = Arrays.copyOf(changed, changed.length + 1 + random.nextInt(50));
            case 4 -> Arrays.fill(changed, at, to, (byte) 0);
            case 5 -> Arrays.fill(changed, at, to, (byte) 0xff);
            default -> System.arraycopy(bytes, random.nextInt(changed.length - (to - at) + 1), changed, at, to - at);
        }
        return changed;
    }

    private void requireTruth(MemoryStore store, HostState state) throws IOException {
        try (VersionContent content = new VersionContent(store, ID, state)) {
            for (FileVersion version : state.versions()) {
                byte[] expected = truth.get(version.id());
                assertThat(expected).as("version %d", version.id()).isNotNull();
                assertThat(version.length()).isLessThanOrEqualTo(expected.length);
                content.copyProven(
                        version,
                        version.startPosition(),
                        version.length(),
                        (position, bytes) -> assertThat(bytes.toArray(ValueLayout.JAVA_BYTE))
                                .isEqualTo(Arrays.copyOfRange(
                                        expected, (int) position, (int) (position + bytes.byteSize()))),
                        (start, end, cause) -> {});
            }
        }
    }

    private static HostState load(MemoryStore store) throws IOException {
        return HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    private void read(MemoryStore store) throws IOException {
        try {
            requireTruth(store, load(store));
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            // said
        }
        requireTruth(
                store,
                Salvage.load(
                        store, ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE, (object, cause, lost) -> {}));
        new Verify(store, Workers.NONE, Tables.any(), fault -> {}).run(owner -> true);
    }

    @Test
    void whatIsGivenIsTrue() throws IOException {
        List<String> keys = whole.keys().stream()
                .filter(key -> !key.startsWith(ArchiveLayout.NAMES))
                .toList();
        for (int i = Share.count(500); i > 0; i--) {
            MemoryStore store = whole.copy();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                String key = keys.get(random.nextInt(keys.size()));
                if (random.nextInt(20) == 0) {
                    store.delete(key);
                } else if (store.size(key) >= 0) {
                    store.replace(key, mutated(store.bytes(key)));
                }
            }
            read(store);
            new Repair(store, ID, store::nowMs, (action, object, why, consequence) -> {}).run(true);
            requireTruth(store, load(store)); // it is readable now
            compact(store);
            requireTruth(store, load(store));
        }
    }
}
