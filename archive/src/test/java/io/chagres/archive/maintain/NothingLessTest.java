package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Host;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.Outlines;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages small archives at random, repairs and compacts them: every byte of every version that any reader gave
 * before is given afterwards, and every name.
 */
@Order(1)
class NothingLessTest {
    private static final String ID = "0123456789abcdef";
    private static final long DAY = 86_400_000;
    private static final Compact.Listener QUIET = new Compact.Listener() {
        @Override
        public void progress(long doneBytes, long totalBytes) {}

        @Override
        public void skipped(String subject, CorruptArchiveException cause) {}
    };

    /** How a host came to be what it is. */
    private enum Life {
        NEVER_COMPACTED,
        WITH_TABLES,
        COMPACTED,
        COMMITS_GONE,
        SIGNED_OFF
    }

    private final RandomGenerator random = Seeds.random(Seeds.next("NothingLessTest"));

    private MemoryStore archive(Life life) throws IOException {
        MemoryStore store = new MemoryStore();
        try (Host host = new Host(store, ID, "web1")) {
            long grows = host.file("/grows", "first\n");
            long big = host.file("/big");
            host.object(big, "a line that is repeated\n".repeat(12_000).getBytes(), Codec.ZSTD);
            for (int i = 1; i <= 36; i++) {
                long file = host.file("/d" + i % 3 + "/f" + i, "only here " + i + "\n");
                host.inline(grows, "line " + i + "\n");
                if (i % 7 == 0) {
                    host.copy(file, big, 100, 2000);
                    host.zeros(file, 5000);
                    host.remove("/d" + (i - 3) % 3 + "/f" + (i - 3));
                    host.move("/d" + (i - 2) % 3 + "/f" + (i - 2), "/moved-" + i);
                }
                host.commit();
                if (life == Life.WITH_TABLES && i % 12 == 0) {
                    Outlines.write(store, ID, i, Map.of());
                }
                if (i == 20 && life == Life.COMPACTED || i == 24 && life == Life.COMMITS_GONE) {
                    compact(store, life == Life.COMPACTED ? DAY : 0);
                }
            }
            if (life == Life.SIGNED_OFF) {
                host.write(new LogRecord.IncarnationClosed(true));
                host.commit();
                compact(store, 0);
            }
        }
        return store;
    }

    private static void compact(BlobStore store, long graceMs) throws IOException {
        Compact.Options options = new Compact.Options(graceMs, 0, 1, 1 << 20, false);
        new Compact(store, options, () -> Long.MAX_VALUE, QUIET).host(ID);
    }

    /** What can be read: bytes of versions, and names where the host can be loaded without salvage. */
    private static final class Readable {
        final Map<Long, BitSet> there = new HashMap<>();
        final Map<Long, byte[]> bytes = new HashMap<>();

        @Nullable
        Map<String, Long> names;

        void add(BlobStore store, HostState state) throws IOException {
            try (VersionContent content = new VersionContent(store, ID, state)) {
                for (FileVersion version : state.versions()) {
                    int length = (int) version.length();
                    byte[] known = bytes.getOrDefault(version.id(), new byte[0]);
                    byte[] all = Arrays.copyOf(known, Math.max(length, known.length));
                    BitSet set = there.computeIfAbsent(version.id(), id -> new BitSet());
                    bytes.put(version.id(), all);
                    content.copyProven(
                            version,
                            version.startPosition(),
                            length,
                            (position, piece) -> {
                                byte[] got = piece.toArray(ValueLayout.JAVA_BYTE);
                                System.arraycopy(got, 0, all, (int) position, got.length);
                                set.set((int) position, (int) position + got.length);
                            },
                            (start, end, cause) -> {});
                }
            }
        }
    }

    private static @Nullable HostState load(BlobStore store, PointInTime at) throws IOException {
        try {
            return HostLog.load(store, ID, at, ExtentFilter.ALL, RunListener.NONE);
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            return null;
        }
    }

    private static Readable readable(BlobStore store) throws IOException {
        Readable readable = new Readable();
        HostState state = load(store, PointInTime.NOW);
        if (state != null) {
            readable.add(store, state);
            readable.names = new TreeMap<>();
            for (NameTree.Entry entry : state.names()) {
                FileVersion version = entry.version();
                readable.names.put(entry.path().toString(), version == null ? 0 : version.id());
            }
        }
        readable.add(
                store,
                Salvage.load(
                        store, ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE, (object, cause, lost) -> {}));
        return readable;
    }

    private void requireNothingLess(String what, Readable before, Readable after) {
        before.there.forEach((version, set) -> {
            BitSet missing = (BitSet) set.clone();
            missing.andNot(after.there.getOrDefault(version, new BitSet()));
            assertThat(missing.isEmpty())
                    .as("%s: bytes %s of version %d", what, missing, version)
                    .isTrue();
            byte[] old = before.bytes.getOrDefault(version, new byte[0]);
            byte[] now = after.bytes.getOrDefault(version, new byte[0]);
            for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
                assertThat(now[i])
                        .as("%s: byte %d of version %d", what, i, version)
                        .isEqualTo(old[i]);
            }
        });
        if (before.names != null) {
            assertThat(after.names).as(what).isEqualTo(before.names);
        }
    }

    private String damage(MemoryStore store) throws IOException {
        List<String> keys = store.keys().stream()
                .filter(key -> !key.startsWith(ArchiveLayout.NAMES) && !key.startsWith(ArchiveLayout.QUARANTINE))
                .toList();
        String key = keys.get(random.nextInt(keys.size()));
        byte[] bytes = store.bytes(key).clone();
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        int kind = random.nextInt(8);
        switch (bytes.length == 0 ? 4 : kind) {
            case 0, 1 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                store.replace(key, bytes);
            }
            case 2 -> store.replace(key, Arrays.copyOf(bytes, at));
            case 3 -> store.replace(key, Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(40)));
            case 4 -> store.delete(key);
            case 5 -> { // another object of the archive
                store.replace(
                        key, store.bytes(keys.get(random.nextInt(keys.size()))).clone());
            }
            case 6 -> { // the records, or what is behind them
                Arrays.fill(bytes, at, Math.min(bytes.length, at + 64), (byte) 0xff);
                store.replace(key, bytes);
            }
            default -> {
                String number = String.format("%016d", random.nextLong(1L << random.nextInt(1, 53)) + 1);
                String stray = key.replaceFirst("[0-9]{16}(?=[^/]*$)", number);
                store.replace(stray, bytes);
                return "a copy as " + stray;
            }
        }
        return kind + " at " + at + " of " + key;
    }

    private static List<String> repair(MemoryStore store) throws IOException {
        List<String> steps = new ArrayList<>();
        new Repair(
                        store,
                        ID,
                        store::nowMs,
                        (action, object, why, consequence) -> steps.add(action + " " + object + ": " + why))
                .run(true);
        return steps;
    }

    @ParameterizedTest
    @EnumSource
    void whatCouldBeReadCanBeReadAfterwards(Life life) throws IOException {
        MemoryStore whole = archive(life);
        for (int i = Share.count(500); i > 0; i--) {
            MemoryStore store = whole.copy();
            List<String> done = new ArrayList<>();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                done.add(damage(store));
            }
            String what = life + " " + done;
            Readable before = readable(store);
            MemoryStore untouched = store.copy();
            try {
                repair(store);
            } catch (StoreException e) {
                assertThat(store.keys()).as(what + e).isEqualTo(untouched.keys());
                continue;
            }
            requireNothingLess(what, before, readable(store));
            assertThat(load(store, PointInTime.NOW)).as(what).isNotNull();
            assertThat(repair(store)).as("once more after " + what).allSatisfy(step -> assertThat(step)
                    .startsWith("LOSS")); // it is said again, and nothing is done
            for (int day = 0; day < 3; day++) {
                compact(store, DAY);
                store.advance(DAY + 2000);
            }
            requireNothingLess("compacted after " + what, before, readable(store));
        }
    }

    /** What is damaged and not repaired is not destroyed by later compactions. */
    @ParameterizedTest
    @EnumSource
    void whatCouldBeReadOutlivesCompaction(Life life) throws IOException {
        MemoryStore whole = archive(life);
        for (int i = Share.count(250); i > 0; i--) {
            MemoryStore store = whole.copy();
            List<String> done = new ArrayList<>();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                done.add(damage(store));
            }
            Readable before = readable(store);
            for (int day = 0; day < 3; day++) {
                try {
                    compact(store, DAY);
                } catch (CorruptArchiveException | CompactedHistoryException e) {
                    // it says so, and does nothing
                }
                requireNothingLess(life + " " + done + " on day " + day, before, readable(store));
                store.advance(DAY + 2000);
            }
        }
    }
}
