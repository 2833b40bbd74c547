package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.find.LineFilters;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.StateText;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever number of files counts as large, compaction does the same. */
@Tag("long")
class LargeCompactTest {
    private static final String ID = "0123456789abcdef";
    private static final long DAY_MS = 86_400_000;
    private static final int FILES = 6000;
    private static final int ROUNDS = 40;

    /** An archive, and how much of its host is in local files while it is compacted. */
    private static final class Archive {
        private final MemoryStore store = new MemoryStore();
        private final Host host;
        private final List<Long> ids = new ArrayList<>();
        private final List<String> steps = new ArrayList<>();
        private final LocalTables tables;
        private int freed;

        Archive(int largeVersions) throws IOException {
            host = new Host(store, ID, "web1");
            Pathname directory = Pathname.of(System.getProperty("java.io.tmpdir"));
            tables = LocalTables.unnamed(directory, largeVersions, () -> freed++);
        }

        void live(RandomGenerator random) throws IOException {
            for (int i = random.nextInt(1, 12); i > 0; i--) {
                String path = "/d" + random.nextInt(3) + "/f" + random.nextInt(9);
                long some = ids.isEmpty() ? 0 : ids.get(random.nextInt(ids.size()));
                byte[] bytes = ("line " + random.nextInt(1000) + "\n")
                        .repeat(random.nextInt(1, 40))
                        .getBytes(StandardCharsets.US_ASCII);
                int large = random.nextInt(1 << 20, 3 << 20);
                switch (ids.isEmpty() ? 0 : random.nextInt(9)) {
                    case 0, 1 -> ids.add(host.file(path));
                    case 2 -> host.remove(path);
                    case 3 -> host.move("/d" + random.nextInt(3), "/e" + random.nextInt(2));
                    case 4 -> {
                        host.close(some, LogRecord.Reason.GONE);
                        ids.remove(some); // it is over, and may expire
                    }
                    case 5 -> host.zeros(some, 5);
                    case 6 -> {
                        if (random.nextInt(8) == 0) {
                            for (int at = 0; at < large; at += LogRecord.PIECE_BYTES) {
                                host.inline(some, new byte[LogRecord.PIECE_BYTES]);
                            }
                        }
                    }
                    default -> host.inline(some, bytes);
                }
            }
            host.commit();
        }

        CompactSummary compact(boolean dryRun, long graceMs, long retainMs) throws IOException {
            return compact(store, dryRun, graceMs, retainMs);
        }

        CompactSummary compact(BlobStore through, boolean dryRun, long graceMs, long retainMs) throws IOException {
            CompactListener listener = new CompactListener() {
                @Override
                public void progress(long doneBytes, long totalBytes) {}

                @Override
                public void skipped(String subject, CorruptArchiveException cause) {
                    throw new AssertionError(subject, cause);
                }

                @Override
                public void step(CompactAction action, String subject, long bytes) {
                    long told = action == CompactAction.REMOVE ? 0 : bytes; // random numbers compress differently
                    steps.add(action + " " + withoutNumbers(subject) + " " + told);
                }
            };
            CompactOptions options = new CompactOptions(graceMs, retainMs, 1, 4 << 20, dryRun);
            return new Compact(through, options, tables, store::nowMs, listener).host(ID);
        }

        /** Returns what the host holds and where, but for random numbers and what depends on them. */
        List<String> state() throws IOException {
            return StateText.of(host.state()).stream()
                    .filter(line -> !line.startsWith("chain "))
                    .map(line -> line.replaceAll("unique=-?[0-9]+", "unique=NUMBER"))
                    .toList();
        }

        private static String withoutNumbers(String text) {
            return text.replaceAll("-[0-9a-f]{16}\\.zst", "-NUMBER.zst").replaceAll("history/.*zst", "history");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isTheSameHowManyVersionsEverAreLarge(boolean expires) throws IOException {
        Random random = new Random(Seeds.next("LargeCompactTest"));
        Archive small = new Archive(LocalTables.LARGE_VERSIONS);
        Archive large = new Archive(0);
        for (int round = 0; round < 12; round++) {
            for (int commits = random.nextInt(1, 5); commits > 0; commits--) {
                long seed = random.nextLong();
                small.live(new Random(seed));
                large.live(new Random(seed));
            }
            long graceMs = random.nextBoolean() ? 0 : DAY_MS;
            long retainMs = expires && random.nextBoolean() ? 3 * DAY_MS : 0;
            for (boolean dryRun : new boolean[] {true, false}) {
                CompactSummary expected = small.compact(dryRun, graceMs, retainMs);
                CompactSummary summary = large.compact(dryRun, graceMs, retainMs);
                assertThat(summary.objectsWritten()).isEqualTo(expected.objectsWritten());
                assertThat(summary.contentBytes()).isEqualTo(expected.contentBytes());
                assertThat(summary.expired()).isEqualTo(expected.expired());
                assertThat(summary.objectsRemoved()).isEqualTo(expected.objectsRemoved());
                assertThat(large.steps).containsExactlyInAnyOrderElementsOf(small.steps);
            }
            assertThat(large.state()).isEqualTo(small.state());
            assertThat(CompactTest.faults(large.store)).isEmpty();
            if (!expires) {
                assertThat(large.host.differing()).isEmpty();
            }
            small.store.advance(DAY_MS);
            large.store.advance(DAY_MS);
        }
        assertThat(large.freed).isPositive(); // most of it was in files
        assertThat(small.freed).isZero();
        small.host.close();
        large.host.close();
    }

    /** The frames of the newest checkpoint, as they are stored. */
    private static List<ByteBuffer> frames(MemoryStore store) throws IOException {
        String key = ArchiveLayout.checkpoint(ID, Objects.requireNonNull(Checkpoints.newest(store, ID)));
        ByteBuffer bytes = ByteBuffer.wrap(store.bytes(key));
        FrameTable table = FrameTable.load((offset, to) -> store.get(key, offset, to), key, bytes.capacity());
        List<ByteBuffer> frames = new ArrayList<>();
        for (int i = 0; i < table.frames(); i++) {
            frames.add(bytes.slice((int) table.storedStart(i), table.storedBytes(i)));
        }
        return frames;
    }

    /** Returns a name that does not compress. */
    private static String name(int i) {
        Random random = new Random(i);
        String rest = random.ints(80, 'a', 'z').mapToObj(Character::toString).collect(Collectors.joining());
        return String.format("/d/f%05d-%s", i, rest);
    }

    @Test
    void copiesTheBlocksInWhichNothingChanged() throws IOException {
        Archive large = new Archive(FILES / 2);
        Archive small = new Archive(LocalTables.LARGE_VERSIONS);
        for (Archive each : List.of(large, small)) {
            for (int i = 0; i < FILES; i++) {
                each.ids.add(each.host.file(name(i)));
            }
            each.host.commit();
            each.compact(false, 0, 0);
        }
        List<ByteBuffer> first = frames(large.store);
        int anew = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<ByteBuffer> before = frames(large.store);
            for (Archive each : List.of(large, small)) {
                each.host.inline(each.ids.get(FILES / 3), "one more line\n".getBytes(StandardCharsets.US_ASCII));
                each.host.file(name(FILES / 4 + round * 7) + "-" + round);
                each.host.commit();
                each.compact(false, 0, 0);
            }
            List<ByteBuffer> after = frames(large.store);
            boolean isAnew = after.size() < before.size(); // once copies had left too many small blocks
            if (!isAnew) {
                before.removeAll(after);
                assertThat(before).as("round " + round + " of " + after.size()).hasSizeLessThanOrEqualTo(9);
            }
            assertThat(after.size()).isLessThan(3 * first.size());
            anew += isAnew ? 1 : 0;
            if (isAnew || round == ROUNDS - 1) {
                assertThat(large.state()).isEqualTo(small.state());
            }
        }
        assertThat(anew).isBetween(1, ROUNDS / 4);
        assertThat(CompactTest.faults(large.store)).isEmpty();
        large.host.close();
        small.host.close();
    }

    /** Filters are written of what grew: no other file is looked at again. */
    @Test
    void readsTheCheckpointOnceWhereLittleGrew() throws IOException {
        Archive large = new Archive(FILES / 2);
        Archive small = new Archive(LocalTables.LARGE_VERSIONS);
        long[] read = new long[1];
        for (Archive each : List.of(large, small)) {
            for (int i = 0; i < 4 * FILES; i++) {
                each.ids.add(each.host.file(name(i)));
                each.host.inline(each.ids.get(i), (name(i) + "\n").repeat(3).getBytes(StandardCharsets.US_ASCII));
            }
            each.host.commit();
            each.compact(false, DAY_MS, 0);
            each.host.inline(each.ids.get(FILES / 3), "tail of a line\n".getBytes(StandardCharsets.US_ASCII));
            each.ids.add(each.host.file("/new"));
            each.host.inline(each.ids.getLast(), "the first line\n".getBytes(StandardCharsets.US_ASCII));
            each.host.commit();
            read[0] = 0;
            BlobStore counting = new ForwardingStore(each.store) {
                @Override
                public int get(String key, long offset, MemorySegment target) throws IOException {
                    int got = super.get(key, offset, target);
                    read[0] += key.startsWith(ArchiveLayout.checkpoints(ID)) ? got : 0;
                    return got;
                }
            };
            each.compact(counting, false, DAY_MS, 0);
            String newest = ArchiveLayout.checkpoint(ID, Objects.requireNonNull(Checkpoints.newest(each.store, ID)));
            if (each == large) {
                assertThat(read[0]).isLessThan(each.store.size(newest) * 3 / 2);
            }
        }
        List<BlobInfo> filters = LineFilters.list(large.store, ID);
        assertThat(filters).hasSize(2);
        String last = filters.getLast().key();
        assertThat(large.store.bytes(last)).isEqualTo(small.store.bytes(last));
        large.host.close();
        small.host.close();
    }

    /** Each piece takes memory while a pack is written. */
    @Test
    void aPackHoldsSoManyPieces() throws IOException {
        MemoryStore store = new MemoryStore();
        try (Host host = new Host(store, ID, "web1")) {
            int files = CompactionPlan.MAX_PIECES + 100;
            for (int i = 0; i < files; i++) {
                host.file("/d/f" + i, "x");
            }
            host.commit();
            CompactOptions options = new CompactOptions(0, 0, 1, 4 << 20, false);
            assertThat(new Compact(store, options, store::nowMs, Undamaged.COMPACT)
                            .host(ID)
                            .objectsWritten())
                    .isEqualTo(2);
            host.file("/e", "y");
            host.commit();
            assertThat(new Compact(store, options, store::nowMs, Undamaged.COMPACT)
                            .host(ID)
                            .contentBytes())
                    .as("a full one is not written again, however few bytes it has")
                    .isLessThan(1000);
        }
    }
}
