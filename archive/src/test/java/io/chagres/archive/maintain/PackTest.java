package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where compaction puts bytes: small files into packs, large ones into objects that end with a line. */
@Tag("long")
class PackTest {
    private static final String ID = "0123456789abcdef";
    private static final long DAY_MS = 86_400_000;
    private static final CompactOptions NOW = new CompactOptions(0, 0, 1, 128 << 20, false);

    private final MemoryStore store = new MemoryStore();
    private final List<String> skipped = new ArrayList<>();

    private CompactSummary compact() throws IOException {
        return new Compact(store, NOW, store::nowMs, (subject, cause) -> skipped.add(subject)).host(ID);
    }

    private void assertWhole(Host host) throws IOException {
        assertThat(CompactTest.faults(store)).isEmpty();
        assertThat(host.differing()).isEmpty();
    }

    private static String lines(RandomGenerator random, int bytes) {
        StringBuilder text = new StringBuilder(bytes + 200);
        while (text.length() < bytes) {
            text.append(random.nextLong()).append(" some line of a log\n".substring(random.nextInt(18)));
        }
        return text.toString();
    }

    @Test
    void manySmallFilesBecomeOneObject() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long bytes = 0;
            for (int i = 0; i < 2000; i++) {
                String content = "the content of file " + i + ", about seventy bytes of text that repeats\n";
                host.file("/d" + i % 10 + "/f" + i, content);
                bytes += content.length();
                if (i % 400 == 399) {
                    host.commit();
                }
            }
            CompactSummary summary = compact();
            assertThat(summary.objectsWritten()).isEqualTo(1);
            assertThat(summary.contentBytes()).isEqualTo(bytes);
            assertThat(store.keys("/streams/")).hasSize(1);
            assertThat(store.keys().stream().mapToLong(store::size).sum()).isLessThan(2 * bytes);
            assertWhole(host);
        }
    }

    @Test
    void aPackThatIsMostlyDeadIsWrittenAgain() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                ids.add(host.file("/f" + i, "x".repeat(100)));
            }
            host.commit();
            compact();
            ids.subList(0, 3).forEach(id -> host.inline(id, "y".repeat(100)));
            host.commit();
            assertThat(compact().contentBytes()).isEqualTo(600);
            store.advance(2 * DAY_MS);
            compact();
            assertThat(store.keys("/streams/")).hasSize(2);
            ids.subList(3, 6).forEach(id -> host.inline(id, "y".repeat(100)));
            host.commit();
            assertThat(compact().contentBytes()).isEqualTo(1600);
            store.advance(2 * DAY_MS);
            compact();
            assertThat(store.keys("/streams/")).hasSize(1);
            assertThat(compact().objectsWritten()).isZero();
            assertWhole(host);
        }
    }

    /** However often a host is compacted, its packs stay few, and none is written again for nothing. */
    @Test
    void packsStayFew() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("PackTest"));
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            long written = 0;
            long compacted = 0;
            for (int round = 0; round < 64; round++) {
                ids.add(host.file("/f" + round));
                for (int i = 0; i < 20; i++) {
                    byte[] bytes = new byte[random.nextInt(1, 2000)];
                    random.nextBytes(bytes);
                    host.inline(ids.get(random.nextInt(ids.size())), bytes);
                    written += bytes.length;
                }
                host.commit();
                compacted += compact().contentBytes();
            }
            store.advance(2 * DAY_MS);
            host.directory("/d");
            host.commit();
            assertThat(compact().objectsWritten()).isZero();
            store.advance(2 * DAY_MS);
            compact();
            assertThat(store.keys("/streams/")).hasSizeLessThan(16);
            assertThat(compacted).isLessThan(written * 14);
            assertWhole(host);
        }
    }

    /** Whatever runs and objects a text came in, its objects end where lines end, and begin where lines begin. */
    @Test
    void objectsEndWhereLinesEnd() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("PackTest"));
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/app.log");
            for (int part = 0; part < 9; part++) {
                byte[] text = lines(random, 8 << 20).getBytes(StandardCharsets.UTF_8);
                int cut = random.nextInt(text.length);
                if (part == 4) {
                    host.object(id, text, Codec.ZSTD);
                } else {
                    host.inline(id, java.util.Arrays.copyOf(text, cut));
                    host.inline(id, java.util.Arrays.copyOfRange(text, cut, text.length));
                }
                host.commit();
            }
            host.inline(id, "half a li");
            host.commit();
            CompactSummary summary = compact();
            assertThat(summary.objectsWritten()).isEqualTo(3); // 64 MiB, 8 MiB, half a line
            byte[] bytes = host.bytes(id);
            for (LogRecord.Extent extent : extents(host, id)) {
                if (extent instanceof LogRecord.ObjectRun run) {
                    assertThat(run.length()).isLessThanOrEqualTo(CompactionPlan.OBJECT_BYTES);
                    assertThat(bytes[(int) run.end() - 1]).isEqualTo((byte) '\n');
                } else {
                    assertThat(extent).isInstanceOf(LogRecord.PackedRun.class);
                    assertThat(extent.length()).isEqualTo("half a li".length());
                }
            }
            assertWhole(host);
            host.inline(id, "ne\n" + lines(random, 2 << 20));
            host.commit();
            assertThat(compact().objectsWritten()).isEqualTo(1);
            assertThat(extents(host, id)).hasSize(3).allMatch(LogRecord.ObjectRun.class::isInstance);
            assertWhole(host);
        }
    }

    private static List<LogRecord.Extent> extents(Host host, long id) throws IOException {
        FileVersion version = Objects.requireNonNull(host.state().version(id));
        return Objects.requireNonNull(version.extents());
    }

    /** An object that cannot be written leaves the bytes beside it where they are, though no run ended there. */
    @Test
    void damagedBytesStayWhereTheyAre() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("PackTest"));
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/app.log", lines(random, 200_000));
            host.commit();
            for (int i = 0; i < 6; i++) {
                host.inline(id, lines(random, 200_000));
            }
            host.inline(id, "end of one line\nhalf a li");
            long other = host.file("/other", "other");
            host.commit();
            byte[] commit = store.bytes(ArchiveLayout.commit(ID, 1));
            commit[commit.length - 30] ^= 1;
            HostState before = host.state();
            compact();
            assertThat(skipped).hasSize(2);
            assertThat(extents(host, id))
                    .isEqualTo(Objects.requireNonNull(before.version(id)).extents());
            assertThat(extents(host, other).getFirst()).isInstanceOf(LogRecord.PackedRun.class);
            commit[commit.length - 30] ^= 1;
            assertWhole(host);
        }
    }

    /** A pack that is missing takes its pieces with it, and nothing else. */
    @Test
    void eachLostPieceIsNamed() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/a", "one");
            host.file("/b", "two");
            host.commit();
            compact();
            store.delete(store.keys("/streams/").getFirst());
            Set<String> lost = new HashSet<>();
            CompactTest.faults(store).forEach(fault -> lost.add(fault.consequence()));
            assertThat(lost)
                    .containsExactlyInAnyOrder(
                            "bytes 0 to 3 of /a (version 0000000000000001) are lost",
                            "bytes 0 to 3 of /b (version 0000000000000002) are lost");
        }
    }
}
