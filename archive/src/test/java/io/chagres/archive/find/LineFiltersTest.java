package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreTraits;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.archive.testing.Tables;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What filters look like, what they cost, and how much need not be read with them. */
@Tag("long")
final class LineFiltersTest {
    private static final String NEEDLE = "7f3a9c21-4b2c-4d1e-9f3a-0123456789ab";

    private static final int PIECE = 256 << 10;
    private static final String GOLDEN = "filter-format-1";
    private static final String GOLDEN_WORDS = " ten-letters or-more-of-them-than-sixteen ";

    @TempDir
    Path directory = Path.of("");

    /** Counts what is asked for. */
    private static final class Counted extends ForwardingStore {
        private int requests;
        private long bytes;

        Counted(BlobStore store) {
            super(store);
        }

        @Override
        public int get(String key, long offset, MemorySegment target) throws IOException {
            int got = super.get(key, offset, target);
            requests++;
            bytes += got;
            return got;
        }

        @Override
        public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
            requests++;
            return super.page(prefix, afterKey, maxObjects);
        }
    }

    @Test
    void hashesAsTheReferenceDoes() {
        assertThat(LineTokens.xxh64(0)).isEqualTo(0x34c96acdcadb1bbbL);
        assertThat(LineTokens.xxh64(0x3837363534333231L)).isEqualTo(0xd2d02f08cf7cfd4aL); // "12345678"
    }

    @ParameterizedTest
    @CsvSource({
        "short words only, 0",
        "half-word15bytes, 1",
        "half-word15byte, 0",
        "half-word15byt;, 0",
        "=half-word15byte, 0",
        "=half-word15byte;, 1",
        "=nine99999;, 0",
        "=ten0000000;, 1",
        "\u00e9ten0000000\u00e9, 1"
    })
    void aLiteralHasTokensWhenItHoldsAWordOrSixteenBytesOfOne(String literal, int tokens) {
        assertThat(LineTokens.of(literal.getBytes(StandardCharsets.UTF_8))).hasSize(tokens);
    }

    /** Lines as servers write them. */
    private static byte[] log(RandomGenerator random, int length) {
        StringBuilder log = new StringBuilder();
        long ms = 1_790_000_000_000L;
        while (log.length() < length) {
            ms += random.nextInt(20);
            log.append(String.format(
                    Locale.ROOT,
                    "2026-11-23T%02d:%02d:%02d.%03dZ INFO  [http-%d] io.example.Api request=%016x user=%d GET"
                            + " /api/v1/items/%d?page=%d status=%d bytes=%d took=%dus%n",
                    ms / 3_600_000 % 24,
                    ms / 60_000 % 60,
                    ms / 1000 % 60,
                    ms % 1000,
                    random.nextInt(16),
                    random.nextLong(),
                    random.nextInt(5000),
                    random.nextInt(100_000),
                    random.nextInt(30),
                    random.nextInt(10) == 0 ? 500 : 200,
                    random.nextInt(50_000),
                    random.nextInt(900_000)));
        }
        return log.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void fill(int files, boolean withNeedle) {
        RandomGenerator random = Seeds.random(4); // false matches are a matter of chance
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            for (int i = 0; i < files; i++) {
                long version = web.file("/log/" + i);
                for (int k = 0; k < 4; k++) {
                    web.append(version, log(random, 255 << 10));
                    web.commit(100 + i);
                }
                if (i == 3 && withNeedle) {
                    web.append(version, "request " + NEEDLE + " failed\n").commit(200);
                }
            }
        }
    }

    private long stored(String part) throws IOException {
        long bytes = 0;
        try (var all = Files.walk(directory)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                bytes += each.toString().contains(part) ? Files.size(each) : 0;
            }
        }
        return bytes;
    }

    private static LinePattern literal(String text) {
        return LinePattern.of(List.of(text), new LinePattern.Options(true, false, false, false, false));
    }

    @Test
    void aNeedleCostsFewRequestsAndBytes() throws IOException {
        fill(20, true);
        SmallArchive.compact(directory);
        long all = stored("/streams/");
        long filters = stored("/filters/");
        assertThat(filters).isLessThan(all * 5 / 100);
        try (BlobStore store = BlobStores.open(directory.toString(), false)) {
            String host = HostRegistry.hosts(store).getFirst().id();
            HostState state = HostLog.load(store, host, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
            for (String needle : List.of(NEEDLE, "0123456789abcdef", "request=0123456789abcdef user")) {
                Counted counted = new Counted(store);
                Unmatched unmatched = Unmatched.of(counted, host, literal(needle), Tables.any(), damage -> {
                    throw new AssertionError(damage);
                });
                assertThat(counted.requests).isLessThanOrEqualTo(4);
                read(counted, host, state, unmatched);
                assertThat(counted.bytes)
                        .as("%s of %d", needle, all)
                        .isLessThan(all * (needle.equals(NEEDLE) ? 10 : 15) / 100);
            }
        }
    }

    /** A machine that is gone, compacted, and a word that it never said: of a small one the filter is read at once. */
    @ParameterizedTest
    @CsvSource({"5, true, 1", "20, true, 2", "20, false, 1"})
    void whatIsNowhereCostsFewRequests(int files, boolean isHere, int gets) throws IOException {
        fill(files, false);
        SmallArchive.compact(directory);
        SmallArchive.compact(directory);
        List<String> requests = new ArrayList<>();
        try (BlobStore store = BlobStores.open(directory.toString(), false)) {
            FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
                if (!done) {
                    requests.add(operation.kind() + " "
                            + operation.key().replaceAll("^hosts/[0-9a-f]{16}/([a-z]+).*|/[0-9a-f]{16}/$", "$1"));
                }
            });
            BlobStore counting = new ForwardingStore(faulty) {
                @Override
                public StoreTraits traits() {
                    return isHere ? super.traits() : StoreTraits.PLAIN;
                }
            };
            String host = HostRegistry.hosts(store).getFirst().id();
            HostState state = HostLog.load(counting, host, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
            Unmatched unmatched = Unmatched.of(counting, host, literal(NEEDLE), Tables.any(), damage -> {
                throw new AssertionError(damage);
            });
            assertThat(state.versions()).hasSize(files).allMatch(each -> unmatched
                    .rest(each.id(), 0, each.length())
                    .isEmpty());
        }
        List<String> wanted = new ArrayList<>(List.of(
                "LIST checkpoints", "LIST compacted", "LIST tables", "LIST log", "SIZE log", "GET checkpoints"));
        wanted.add("LIST filters");
        wanted.addAll(Collections.nCopies(gets, "GET filters"));
        assertThat(requests).containsExactlyElementsOf(wanted);
    }

    private static void read(BlobStore store, String host, HostState state, Unmatched unmatched) throws IOException {
        try (VersionReader reader = new VersionReader(store, host, state);
                Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(1 << 20);
            for (FileVersion version : state.versions()) {
                for (Unmatched.Range range : unmatched.rest(version.id(), 0, version.length())) {
                    for (long at = range.start(); at < range.end(); ) {
                        at += reader.read(version, at, piece.asSlice(0, Math.min(piece.byteSize(), range.end() - at)));
                    }
                }
            }
        }
    }

    /** The document's layout, read by nothing of the product. */
    @Test
    void looksAsDocumented() throws IOException {
        fill(2, false);
        SmallArchive.compact(directory);
        Path path;
        try (var all = Files.walk(directory)) {
            path = all.filter(each -> each.getParent().endsWith("filters"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(path.getFileName().toString()).matches("0{16}-0{15}[1-9]");
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(in.getInt()).isEqualTo(0x46474843);
        assertThat(in.getInt()).isEqualTo(1);
        int columns = in.getInt();
        int pieces = in.getInt();
        byte[] stored = new byte[in.getInt()];
        int crc = in.getInt();
        in.get(stored);
        CRC32C checksum = new CRC32C();
        checksum.update((directory.relativize(path.getParent()) + "/").getBytes(StandardCharsets.UTF_8));
        checksum.update(in.array(), 0, 20);
        checksum.update(stored);
        assertThat((int) checksum.getValue()).isEqualTo(crc);
        ByteBuffer index = ByteBuffer.wrap(Zstd.decompress(stored, pieces * 32)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(index.getLong(0)).isEqualTo(1);
        assertThat(index.getLong(8)).isZero();
        assertThat(index.getLong(16)).isEqualTo(256 << 10);
        assertThat(index.getInt(24)).isZero();
        assertThat(index.getInt(28)).isBetween(1, columns);
        assertThat(in.remaining()).isEqualTo(32 * (columns * 32 + 4));
        long hash = 0x5a61b0a1e4a0d1c3L; // any: that its place is free or not depends on the bits of a block only
        int row = (int) (hash >>> 59);
        CRC32C ofRow = new CRC32C();
        int at = in.position() + row * (columns * 32 + 4);
        ofRow.update(in.array(), at, columns * 32);
        assertThat((int) ofRow.getValue()).isEqualTo(in.getInt(at + columns * 32));
    }

    /**
     * Of a filter that an earlier build wrote. It stays in the repository for ever; with {@code GOLDEN_WRITE=DIRECTORY}
     * in the environment the one of this build is written.
     */
    @Test
    void readsTheFilterOfAnEarlierBuild() throws IOException {
        String host = "0123456789abcdef";
        String key = ArchiveLayout.filter(host, new CommitSpan(0, 7));
        MemoryStore made = new MemoryStore();
        try (FilterWriter writer = new FilterWriter(made, key)) {
            LongStream many = LongStream.range(0, 1600).map(LineTokens::xxh64); // two columns
            LongStream words = LongStream.of(LineTokens.of(GOLDEN_WORDS.getBytes(StandardCharsets.UTF_8)));
            writer.piece(1, 0, 5000, LongStream.concat(words, many).toArray());
            writer.piece(2, 100, 9000, LineTokens.of(NEEDLE.getBytes(StandardCharsets.UTF_8)));
            writer.unknown(2, 9000, 9100);
            writer.finish();
        }
        String directoryToWrite = System.getenv("GOLDEN_WRITE");
        if (directoryToWrite != null) {
            Files.write(Path.of(directoryToWrite, GOLDEN), made.bytes(key));
        }
        byte[] golden;
        try (InputStream in = LineFiltersTest.class.getResourceAsStream(GOLDEN)) {
            golden = Objects.requireNonNull(in, GOLDEN).readAllBytes();
        }
        MemoryStore store = new MemoryStore();
        store.replace(key, golden);
        assertThat(left(store, host, NEEDLE)).containsExactly("2: 100 to 9100");
        assertThat(left(store, host, GOLDEN_WORDS)).containsExactly("1: 0 to 5000", "2: 9000 to 9100");
        assertThat(left(store, host, "a-word-of-nobody")).containsExactly("2: 9000 to 9100");
        // the index is compressed, and depends on the version of zstd
        byte[] written = made.bytes(key);
        int rows = 32 * (3 * 32 + 4);
        assertThat(Arrays.copyOfRange(written, written.length - rows, written.length))
                .isEqualTo(Arrays.copyOfRange(golden, golden.length - rows, golden.length));
        assertThat(Arrays.copyOf(written, 12)).isEqualTo(Arrays.copyOf(golden, 12)); // this build says where it ends
    }

    /** All of a filter may say that nothing need be read; what is left of one must not. */
    @Test
    void rulesOutOnlyWhatItTellsOfAsAWhole() throws IOException {
        String host = "0123456789abcdef";
        String first = ArchiveLayout.filter(host, new CommitSpan(0, 5));
        String whole = ArchiveLayout.filter(host, new CommitSpan(0, 9));
        MemoryStore store = new MemoryStore();
        try (FilterWriter writer = new FilterWriter(store, first)) {
            writer.piece(1, 0, 5000, LineTokens.of(GOLDEN_WORDS.getBytes(StandardCharsets.UTF_8)));
            writer.finish();
        }
        assertThat(nowhereUntil(store, host, NEEDLE)).isEqualTo(5);
        assertThat(nowhereUntil(store, host, GOLDEN_WORDS)).isZero();
        try (FilterWriter writer = new FilterWriter(store, whole)) {
            writer.copy(store, first);
            writer.piece(1, 5000, 6000, LineTokens.of(GOLDEN_WORDS.getBytes(StandardCharsets.UTF_8)));
            writer.finish();
        }
        assertThat(nowhereUntil(store, host, NEEDLE)).isEqualTo(9);
        byte[] bytes = store.bytes(whole);
        int rows = 32 * (32 + 4); // of the last group, which are checked when they are read
        for (int length = 0; length < bytes.length - rows; length++) {
            store.replace(whole, Arrays.copyOf(bytes, length));
            assertThat(nowhereUntil(store, host, NEEDLE))
                    .as("cut at %d", length)
                    .isZero();
        }
        store.replace(whole, bytes);
        store.delete(first);
        assertThat(nowhereUntil(store, host, NEEDLE)).isEqualTo(9);
        store.replace(ArchiveLayout.filter(host, new CommitSpan(10, 12)), bytes); // a gap before it
        assertThat(nowhereUntil(store, host, NEEDLE)).isZero();
        store.delete(ArchiveLayout.filter(host, new CommitSpan(10, 12)));
        try (FilterWriter writer = new FilterWriter(store, ArchiveLayout.filter(host, new CommitSpan(9, 12)))) {
            writer.unknown(2, 0, 10);
            writer.finish();
        }
        assertThat(nowhereUntil(store, host, NEEDLE)).isZero();
    }

    /** Of other commits it does not say that all was looked at, of another host nothing: its versions are others. */
    @Test
    void believesNoFilterThatLiesWhereAnotherBelongs() throws IOException {
        String host = "0123456789abcdef";
        String own = ArchiveLayout.filter(host, new CommitSpan(5, 9));
        MemoryStore store = new MemoryStore();
        try (FilterWriter writer = new FilterWriter(store, own)) {
            writer.piece(1, 0, 5000, LineTokens.of(GOLDEN_WORDS.getBytes(StandardCharsets.UTF_8)));
            writer.finish();
        }
        byte[] bytes = store.bytes(own);
        store.delete(own);
        store.replace(ArchiveLayout.filter(host, new CommitSpan(0, 9)), bytes);
        assertThat(nowhereUntil(store, host, NEEDLE)).isZero();
        String other = "fedcba9876543210";
        String strange = ArchiveLayout.filter(other, new CommitSpan(5, 9));
        store.replace(strange, bytes);
        List<String> damaged = new ArrayList<>();
        Unmatched unmatched =
                Unmatched.of(store, other, literal(NEEDLE), Tables.any(), damage -> damaged.add(damage.object()));
        assertThat(unmatched.nowhereUntil()).isZero();
        assertThat(damaged).containsExactly(strange);
    }

    private static long nowhereUntil(BlobStore store, String host, String word) throws IOException {
        return Unmatched.of(store, host, literal(word), Tables.any(), damage -> {})
                .nowhereUntil();
    }

    private static List<String> left(BlobStore store, String host, String word) throws IOException {
        Unmatched unmatched = Unmatched.of(store, host, literal(word), Tables.any(), damage -> {
            throw new AssertionError(damage);
        });
        List<String> left = new ArrayList<>();
        unmatched.rest(1, 0, 5000).forEach(each -> left.add("1: " + each.start() + " to " + each.end()));
        unmatched.rest(2, 100, 9100).forEach(each -> left.add("2: " + each.start() + " to " + each.end()));
        return left;
    }

    private static String needle(int round) {
        return String.format(Locale.ROOT, "%016x%016x", round * 0x9E3779B97F4A7C15L, round * 0xC2B2AE3D27D4EB4FL);
    }

    @Test
    void aSmallFilterIsTakenOverByTheNext() throws IOException {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            RandomGenerator random = Seeds.random(Seeds.next("LineFiltersTest"));
            long version = web.file("/log");
            for (int round = 1; round <= 12; round++) {
                for (int i = 0; i < 5; i++) {
                    web.append(version, log(random, 250 << 10)).commit(round * 100L);
                }
                web.append(version, needle(round) + "\n").commit(round * 100L);
                SmallArchive.compact(directory);
            }
        }
        try (BlobStore store = BlobStores.open(directory.toString(), false)) {
            String host = HostRegistry.hosts(store).getFirst().id();
            assertThat(LineFilters.list(store, host)).hasSizeLessThan(6);
            HostState state = HostLog.load(store, host, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
            long length = state.versions().iterator().next().length();
            Unmatched unmatched = Unmatched.of(store, host, literal(needle(7)), Tables.any(), damage -> {});
            long left = unmatched.rest(1, 0, length).stream()
                    .mapToLong(each -> each.end() - each.start())
                    .sum();
            assertThat(left).isBetween(1L, 1L << 20);
        }
    }

    /** Every border within a version: of pieces, of objects, of the bytes that two compactions cover. */
    @Test
    void aLineOverABorderIsReadWhole() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("LineFiltersTest.borders"));
        StringBuilder text = new StringBuilder();
        List<Integer> borders = new ArrayList<>();
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            for (int round = 0; round < 4; round++) {
                int from = text.length();
                text.append(round % 2 == 0 ? "" : "-0123456789abcdef0123456789 end\n");
                while (text.length() < from + 5 * PIECE) {
                    text.append(String.format(
                            Locale.ROOT,
                            "%sid=%016x%016x;\n",
                            "short x ".repeat(random.nextInt(10)),
                            random.nextLong(),
                            random.nextLong()));
                }
                text.setLength(text.length() - random.nextInt(1, 30)); // within the last id
                byte[] bytes = text.substring(from).getBytes(StandardCharsets.US_ASCII);
                for (int at = 0; at < bytes.length; at += PIECE) {
                    web.append(version, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE)))
                            .commit(100 + round);
                    borders.add(from + at);
                }
                borders.add(text.length());
                SmallArchive.compact(directory);
            }
        }
        for (int at = 0; at < text.length(); at += PIECE) {
            borders.add(at);
        }
        try (BlobStore store = BlobStores.open(directory.toString(), false)) {
            String host = HostRegistry.hosts(store).getFirst().id();
            for (int border : borders) {
                int start = text.lastIndexOf("\n", Math.max(0, border - 1)) + 1;
                int newline = text.indexOf("\n", start);
                int end = newline < 0 ? text.length() : newline + 1;
                int id = text.indexOf("id=", start);
                if (id < 0 || id + 3 + 16 > end) {
                    continue;
                }
                int length = Math.min(32, end - id - 3);
                for (int from = 0; from + 16 <= length; from++) {
                    String literal = text.substring(id + 3 + from, id + 3 + from + 16);
                    Unmatched unmatched = Unmatched.of(store, host, literal(literal), Tables.any(), damage -> {});
                    assertThat(unmatched.rest(1, start, end))
                            .as("%s at %d", literal, border)
                            .containsExactly(new Unmatched.Range(start, end));
                }
            }
        }
    }
}
