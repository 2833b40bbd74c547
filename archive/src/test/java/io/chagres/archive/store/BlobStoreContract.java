package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every store must do. A test of a store extends it. */
public abstract class BlobStoreContract {
    private static final int WRITERS = 8;
    private static final int KEYS = 40;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path files;

    @SuppressWarnings("NullAway.Init")
    private Arena arena;

    private BlobStore store = new MemoryStore();

    /** For the test of a store. */
    protected BlobStoreContract() {}

    /** Opens the store under test, empty. */
    protected abstract BlobStore open() throws IOException;

    @BeforeEach
    void openStore() throws IOException {
        arena = Arena.ofShared();
        store = new MemoryStore(); // where opening fails, the last one is not closed again
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
        arena.close();
    }

    private MemorySegment segment(byte[] bytes) {
        return arena.allocate(Math.max(1, bytes.length))
                .asSlice(0, bytes.length)
                .copyFrom(MemorySegment.ofArray(bytes));
    }

    private MemorySegment segment(String text) {
        return segment(text.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] read(String key) throws IOException {
        long size = store.size(key);
        MemorySegment target = arena.allocate(size + 1);
        int read = store.get(key, 0, target);
        assertThat((long) read).isEqualTo(size);
        return target.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
    }

    private String text(String key) throws IOException {
        return new String(read(key), StandardCharsets.UTF_8);
    }

    private List<String> keys(String prefix, @Nullable String afterKey) throws IOException {
        return StreamSupport.stream(BlobList.all(store, prefix, afterKey).spliterator(), false)
                .map(BlobInfo::key)
                .toList();
    }

    private void put(String... keys) throws IOException {
        for (String key : keys) {
            assertThat(store.putIfAbsent(key, segment(key))).isTrue();
        }
    }

    /** The time of the store is that of its objects, in whole seconds at worst. */
    @Test
    void movesWhatIsStored() throws IOException {
        byte[] content = new byte[3 << 20];
        Arrays.fill(content, (byte) 7);
        store.putIfAbsent("a/from", MemorySegment.ofArray(content));
        store.putIfAbsent("b/taken", MemorySegment.ofArray(new byte[1]));
        assertThatThrownBy(() -> store.move("a/from", "b/taken", 4 << 20)).isInstanceOf(StoreException.class);
        assertThat(store.size("a/from")).isEqualTo(content.length);
        store.move("a/from", "b/c/to", 4 << 20);
        assertThat(store.size("a/from")).isEqualTo(-1);
        MemorySegment got = arena.allocate(content.length + 1);
        assertThat(store.get("b/c/to", 0, got)).isEqualTo(content.length);
        assertThat(got.asSlice(0, content.length).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(content);
        assertThatThrownBy(() -> store.move("a/from", "b/other", 4 << 20)).isInstanceOf(IOException.class);
    }

    @Test
    void saysWhatTimeItIs() throws IOException {
        put("a/before");
        long nowMs = store.nowMs();
        put("a/behind");
        List<Long> times = StreamSupport.stream(BlobList.all(store, "a/", null).spliterator(), false)
                .map(BlobInfo::modifiedMs)
                .toList();
        assertThat(nowMs).isBetween(times.getFirst() - 1000, times.getLast() + 1000);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void putsOnceAndKeepsTheFirst() throws IOException {
        assertThat(store.putIfAbsent("a/b/c", segment("first"))).isTrue();
        assertThat(store.putIfAbsent("a/b/c", segment("second"))).isFalse();
        assertThat(text("a/b/c")).isEqualTo("first");
    }

    @Test
    void takesAndGivesHeapMemory() throws IOException {
        store.putIfAbsent("heap", MemorySegment.ofArray(new byte[] {1, 2, 3, 4}));
        byte[] target = new byte[2];
        assertThat(store.get("heap", 1, MemorySegment.ofArray(target))).isEqualTo(2);
        assertThat(target).containsExactly(2, 3);
    }

    @Test
    void givesTheFirstOfAList() throws IOException {
        assertThat(BlobList.first(store, "hosts/")).isNull();
        put("hosts/b/1", "hosts/b/0/9", "hosts/b/0/8", "hosts/c/0", "hosts/b-/1");
        for (String prefix : List.of("hosts/b/", "hosts/", "hosts/b/0/9", "hosts/c", "")) {
            assertThat(BlobList.first(store, prefix))
                    .isEqualTo(BlobList.all(store, prefix, null).iterator().next());
        }
        assertThat(BlobList.first(store, "hosts/d")).isNull();
    }

    @Test
    void holdsAnObjectWithoutBytes() throws IOException {
        assertThat(store.putIfAbsent("empty", segment(""))).isTrue();
        assertThat(store.size("empty")).isZero();
        assertThat(store.get("empty", 0, arena.allocate(8))).isZero();
    }

    @Test
    void readsRanges() throws IOException {
        byte[] bytes = random(300_000);
        store.putIfAbsent("ranges", segment(bytes));
        MemorySegment target = arena.allocate(1000);
        assertThat(store.get("ranges", 12_345, target)).isEqualTo(1000);
        assertThat(target.toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(java.util.Arrays.copyOfRange(bytes, 12_345, 13_345));
        assertThat(store.get("ranges", bytes.length - 10, target)).isEqualTo(10);
        assertThat(store.get("ranges", bytes.length, target)).isZero();
        assertThat(store.get("ranges", bytes.length + 5000L, target)).isZero();
        assertThat(store.get("ranges", 0, arena.allocate(1).asSlice(0, 0))).isZero();
    }

    @Test
    void saysWhatIsAbsent() throws IOException {
        put("there/x");
        assertThat(store.size("absent")).isEqualTo(-1);
        assertThat(store.size("there/x/y")).isEqualTo(-1);
        assertThat(store.size("there")).isEqualTo(-1);
        assertThatThrownBy(() -> store.get("no/where", 0, arena.allocate(1)))
                .isInstanceOf(NoSuchBlobException.class)
                .hasMessageContaining("no/where");
        store.delete("absent");
        store.delete("no/where");
    }

    @Test
    void listsInTheOrderOfKeys() throws IOException {
        put("p/b", "p/a/2", "p/a/1", "p/a-1", "p/a.x", "p/a0", "p/c/d/e", "q/a", "pq");
        List<String> all = List.of("p/a-1", "p/a.x", "p/a/1", "p/a/2", "p/a0", "p/b", "p/c/d/e");
        assertThat(keys("p/", null)).containsExactlyElementsOf(all).isSorted();
        for (String after : all) {
            assertThat(keys("p/", after)).containsExactlyElementsOf(all.subList(all.indexOf(after) + 1, all.size()));
        }
        assertThat(keys("p/a", null)).containsExactly("p/a-1", "p/a.x", "p/a/1", "p/a/2", "p/a0");
        assertThat(keys("p/a/", "p/a")).containsExactly("p/a/1", "p/a/2");
        assertThat(keys("p/", "p/a/")).containsExactly("p/a/1", "p/a/2", "p/a0", "p/b", "p/c/d/e");
        assertThat(keys("p/", "p/zz")).isEmpty();
        assertThat(keys("nothing/", null)).isEmpty();
    }

    @Test
    void listsAPage() throws IOException {
        put("p/b", "p/a/2", "p/a/1", "p/a-1", "p/a0", "p/c/d/e", "q/a", "pq");
        for (String after : List.of("p/", "p/a/", "p/a/1", "p/zz")) {
            BlobPage page = store.page("p/", after, 1000);
            assertThat(page.objects()).extracting(BlobInfo::key).isEqualTo(keys("p/", after));
            assertThat(page.isLast()).isTrue();
        }
    }

    @Test
    void listsWithoutGapsFromPageToPage() throws IOException {
        put("p/b", "p/a/2", "p/a/1", "p/a-1", "p/a0", "p/c/d/e", "q/a", "pq");
        List<String> shown = new ArrayList<>();
        BlobPage page = store.page("p/", null, 2);
        while (!page.isLast()) {
            assertThat(page.objects())
                    .isNotEmpty()
                    .hasSizeLessThanOrEqualTo(2); // a store may begin with the key itself
            page.objects().forEach(each -> shown.add(each.key()));
            page = store.page("p/", shown.getLast(), 2);
        }
        page.objects().forEach(each -> shown.add(each.key()));
        assertThat(shown).isEqualTo(keys("p/", null));
    }

    @Test
    void listsSizesAndTimes() throws IOException {
        store.putIfAbsent("t/one", segment("12345"));
        BlobInfo info = BlobList.all(store, "t/", null).iterator().next();
        assertThat(info.key()).isEqualTo("t/one");
        assertThat(info.lengthBytes()).isEqualTo(5);
        assertThat(info.modifiedMs()).isGreaterThan(1_600_000_000_000L);
    }

    @Test
    void listsChildren() throws IOException {
        put("hosts/b/host", "hosts/a/log/1", "hosts/a/host", "hosts/c", "other/d");
        assertThat(store.children("hosts/")).containsExactly("a", "b", "c");
        assertThat(store.children("hosts/a/")).containsExactly("host", "log");
        assertThat(store.children("absent/")).isEmpty();
    }

    @Test
    void deletes() throws IOException {
        put("d/1", "d/2");
        store.delete("d/1");
        assertThat(keys("d/", null)).containsExactly("d/2");
        assertThat(store.putIfAbsent("d/1", segment("again"))).isTrue();
    }

    @Test
    void writesAnObjectPieceByPiece() throws IOException {
        byte[] bytes = random(700_000);
        MemorySegment source = segment(bytes);
        try (BlobWriter writer = store.create("w/object")) {
            for (int at = 0; at < bytes.length; at += 100_000) {
                writer.write(source, at, 100_000);
            }
            MemorySegment back = arena.allocate(1000);
            writer.read(650_000, back, 10, 990);
            assertThat(back.asSlice(10).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(java.util.Arrays.copyOfRange(bytes, 650_000, 650_990));
            assertThat(store.size("w/object")).isEqualTo(-1);
            assertThat(keys("w/", null)).isEmpty();
            writer.commit();
        }
        assertThat(read("w/object")).isEqualTo(bytes);
    }

    @Test
    void discardsWhatIsNotCommitted() throws IOException {
        try (BlobWriter writer = store.create("w/discarded")) {
            writer.write(segment("bytes"), 0, 5);
        }
        assertThat(store.size("w/discarded")).isEqualTo(-1);
        assertThat(keys("w/", null)).isEmpty();
    }

    @Test
    void refusesToReplace() throws IOException {
        put("w/taken");
        try (BlobWriter writer = store.create("w/taken")) {
            writer.write(segment("other"), 0, 5);
            assertThatThrownBy(writer::commit)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("w/taken");
        }
        assertThat(text("w/taken")).isEqualTo("w/taken");
    }

    @Test
    void copiesFromFiles() throws IOException {
        byte[] bytes = random(9_000_001);
        Path file = Files.write(files.resolve("source"), bytes);
        try (Fd source = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
                BlobWriter writer = store.create("w/copied")) {
            assertThat(writer.copyFrom(source, 1, 8_500_000)).isEqualTo(8_500_000);
            assertThat(writer.copyFrom(source, 8_500_001, 1_000_000)).isEqualTo(500_000);
            assertThat(writer.copyFrom(source, 20_000_000, 10)).isZero();
            writer.write(segment("end"), 0, 3);
            writer.commit();
        }
        byte[] expected = java.util.Arrays.copyOfRange(bytes, 1, bytes.length + 3);
        System.arraycopy("end".getBytes(StandardCharsets.UTF_8), 0, expected, bytes.length - 1, 3);
        assertThat(read("w/copied")).isEqualTo(expected);
    }

    /** Of several writers that race for a key exactly one wins, and its bytes are the ones that stay. */
    @Test
    void letsOneOfManyWin() throws Exception {
        CyclicBarrier start = new CyclicBarrier(WRITERS);
        List<Future<List<String>>> racers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            for (int i = 0; i < WRITERS; i++) {
                MemorySegment content = segment("writer " + i);
                racers.add(threads.submit(() -> {
                    List<String> won = new ArrayList<>();
                    for (int key = 0; key < KEYS; key++) {
                        start.await();
                        if (store.putIfAbsent("race/" + key / 10 + "/" + key, content)) {
                            won.add("race/" + key / 10 + "/" + key);
                        }
                    }
                    return won;
                }));
            }
        }
        int wins = 0;
        for (int i = 0; i < WRITERS; i++) {
            for (String key : racers.get(i).get()) {
                assertThat(text(key)).isEqualTo("writer " + i);
                wins++;
            }
        }
        assertThat(wins).isEqualTo(KEYS);
        assertThat(keys("race/", null)).hasSize(KEYS);
    }
}
