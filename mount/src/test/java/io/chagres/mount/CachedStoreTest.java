package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept on disk of a store. */
class CachedStoreTest {
    private static final long MAX_BYTES = 4L << 20;

    @TempDir
    private Path directory;

    private final AtomicInteger gets = new AtomicInteger();
    private Path kept;
    private BlobStore store;

    @BeforeEach
    void open() throws IOException {
        kept = Files.createDirectory(directory.resolve("kept"));
        store = cached();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private BlobStore cached() throws IOException {
        FaultyStore.Faults counting = (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.GET && !done) {
                gets.incrementAndGet();
            }
        };
        BlobStore plain = BlobStores.open(directory.resolve("store").toString(), true);
        DiskCache cache = DiskCache.open(Pathname.of(kept.toString()), MAX_BYTES, message -> {});
        return new CachedStore(new FaultyStore(plain, counting), cache);
    }

    private byte[] put(String key, int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        try (BlobStore plain = BlobStores.open(directory.resolve("store").toString(), true)) {
            plain.putIfAbsent(key, MemorySegment.ofArray(bytes));
        }
        return bytes;
    }

    private byte[] get(String key, long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        int got = store.get(key, offset, MemorySegment.ofArray(bytes));
        return Arrays.copyOf(bytes, got);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> paths = Files.list(kept)) {
            return paths.toList();
        }
    }

    @Test
    void asksOnceForEachPart() throws IOException {
        byte[] content = put("a/big", 1_500_000);
        for (int round = 0; round < 3; round++) {
            assertThat(get("a/big", 0, 2_000_000)).isEqualTo(content);
            assertThat(get("a/big", 524_280, 20)).isEqualTo(Arrays.copyOfRange(content, 524_280, 524_300));
            assertThat(get("a/big", 1_499_999, 20)).hasSize(1);
            assertThat(get("a/big", 1_500_000, 20)).isEmpty();
        }
        assertThat(gets).hasValue(3);
        try (BlobStore other = cached()) {
            byte[] bytes = new byte[10];
            other.get("a/big", 600_000, MemorySegment.ofArray(bytes));
            assertThat(bytes).isEqualTo(Arrays.copyOfRange(content, 600_000, 600_010));
        }
        assertThat(gets).hasValue(3);
    }

    /** Bytes that were damaged on their way must not be kept for ever. */
    @Test
    void whatIsToBeForgottenIsAskedForAgain() throws IOException {
        byte[] content = put("a/big", 1_500_000);
        put("a/other", 10);
        get("a/big", 0, 2_000_000);
        get("a/other", 0, 10);
        CachingStore.forget(store, "a/big");
        CachingStore.forget(store, "a/nothing");
        assertThat(files()).hasSize(1);
        assertThat(get("a/big", 0, 2_000_000)).isEqualTo(content);
        get("a/other", 0, 10);
        assertThat(gets).hasValue(7);
    }

    @Test
    void whatDoesNotExistIsNotKept() throws IOException {
        assertThatExceptionOfType(NoSuchBlobException.class).isThrownBy(() -> get("a/x", 0, 10));
        assertThat(store.size("a/x")).isEqualTo(-1);
        byte[] content = put("a/x", 10);
        assertThat(store.size("a/x")).isEqualTo(10);
        assertThat(get("a/x", 0, 10)).isEqualTo(content);
    }

    @Test
    void filesThatWereChangedOrDeletedAreFetchedAgain() throws IOException {
        byte[] content = put("a/x", 1000);
        get("a/x", 0, 10);
        Path file = files().getFirst();
        byte[] bytes = Files.readAllBytes(file);
        for (int at : new int[] {0, 9, 500}) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            Files.write(file, changed);
            assertThat(get("a/x", 0, 1000)).isEqualTo(content);
        }
        Files.write(file, Arrays.copyOf(bytes, 700));
        assertThat(get("a/x", 0, 1000)).isEqualTo(content);
        Files.delete(file);
        assertThat(get("a/x", 0, 1000)).isEqualTo(content);
        assertThat(gets).hasValue(6);
    }

    @Test
    void keepsNoMoreThanItMay() throws IOException {
        put("a/big", 10 << 20);
        for (int part = 0; part < 20; part++) {
            get("a/big", (long) part << 19, 10);
        }
        long bytes = 0;
        for (Path file : files()) {
            bytes += Files.size(file);
        }
        assertThat(bytes).isBetween(MAX_BYTES / 2, MAX_BYTES + MAX_BYTES / 4);
    }

    /** Behind the end there is nothing, as in every store, whether or not the part that ends is kept. */
    @Test
    void behindTheEndThereIsNothing() throws IOException {
        put("a/small", 10);
        put("a/none", 0);
        put("a/parts", 2 * DiskCache.PART_BYTES);
        for (int round = 0; round < 2; round++) {
            for (long offset : new long[] {10, 11, 100, 524_287, 524_288, 524_289, 1L << 40}) {
                assertThat(get("a/small", offset, 20)).as("at %d", offset).isEmpty();
                assertThat(get("a/none", offset, 20)).as("at %d", offset).isEmpty();
            }
            assertThat(get("a/none", 0, 1)).isEmpty();
            assertThat(get("a/parts", 2 * DiskCache.PART_BYTES - 1, 20)).hasSize(1);
            assertThat(get("a/parts", 2 * DiskCache.PART_BYTES, 20)).isEmpty();
            assertThat(get("a/parts", 2 * DiskCache.PART_BYTES + 1, 20)).isEmpty();
            assertThat(get("a/small", 3, 0)).isEmpty();
        }
        assertThat(store.size("a/none")).isZero();
        assertThat(store.size("a/parts")).isEqualTo(2 * DiskCache.PART_BYTES);
    }

    /** What cannot be kept takes no room: each part that is read would leave as much again. */
    @Test
    void whatCannotBeKeptLeavesNothing() throws IOException {
        byte[] content = put("a/x", 1000);
        get("a/x", 0, 10);
        Path file = files().getFirst();
        Files.delete(file);
        Files.createDirectory(file); // its name is taken, and no file takes the place of a directory
        for (int i = 0; i < 5; i++) {
            assertThat(get("a/x", 0, 1000)).isEqualTo(content);
        }
        assertThat(files()).containsExactly(file);
    }

    /** Others put what they like into the directory, or take it away altogether. */
    @Test
    void readsOnWhateverBecomesOfTheDirectory() throws IOException {
        byte[] content = put("a/x", 1000);
        get("a/x", 0, 10);
        Path file = files().getFirst();
        Files.delete(file);
        Files.createSymbolicLink(file, Path.of("/etc/passwd"));
        assertThat(get("a/x", 0, 1000)).isEqualTo(content);
        Files.deleteIfExists(file);
        Files.createFile(file);
        assertThat(get("a/x", 0, 1000)).isEqualTo(content);
        Files.deleteIfExists(file);
        Files.delete(kept);
        assertThat(get("a/x", 0, 1000)).isEqualTo(content);
    }
}
