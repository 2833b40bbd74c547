package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ReadAheadStoreTest {
    @Nested
    class Contract extends BlobStoreContract {
        @Override
        protected BlobStore open() {
            return new ReadAheadStore(new MemoryStore(), Executors.newVirtualThreadPerTaskExecutor());
        }
    }

    private final MemoryStore memory = new MemoryStore();
    private final List<String> operations = Collections.synchronizedList(new ArrayList<>());

    private ReadAheadStore store(CountDownLatch together) {
        BlobStore slow = new FaultyStore(memory, (operation, done) -> {
            if (!done) {
                operations.add(operation.toString());
                together.countDown();
                try {
                    assertThat(together.await(10, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        });
        return new ReadAheadStore(slow, Executors.newVirtualThreadPerTaskExecutor());
    }

    private byte[] object(String key, int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        memory.putIfAbsent(key, MemorySegment.ofArray(bytes));
        return bytes;
    }

    private static byte[] read(BlobStore store, String key, long offset, int length) throws IOException {
        byte[] target = new byte[length];
        return Arrays.copyOf(target, store.get(key, offset, MemorySegment.ofArray(target)));
    }

    /** Each answer waits for all others: fetched one by one they would never come. */
    @Test
    void fetchesSeveralObjectsAtOnceAndEachOnce() throws IOException {
        List<String> keys = IntStream.range(10, 30).mapToObj(Integer::toString).toList();
        for (String key : keys) {
            object(key, Integer.parseInt(key));
        }
        try (ReadAheadStore store = store(new CountDownLatch(keys.size()))) {
            store.expect(keys.stream().map(key -> new BlobRange(key, 0, 1000)).iterator());
            for (String key : keys) {
                int length = Integer.parseInt(key);
                assertThat(store.size(key)).isEqualTo(length);
                assertThat(read(store, key, 4, 100)).hasSize(length - 4);
                assertThat(read(store, key, 0, 100)).hasSize(length);
            }
        }
        assertThat(operations).hasSize(keys.size());
    }

    @Test
    void fetchesAgainWhatIsToBeForgotten() throws IOException {
        object("a", 100);
        object("b", 100);
        try (ReadAheadStore store = store(new CountDownLatch(2))) {
            store.expect(List.of(new BlobRange("a", 0, 200), new BlobRange("b", 0, 200))
                    .iterator());
            read(store, "a", 0, 200);
            memory.delete("a");
            byte[] other = object("a", 101);
            store.forget("a");
            assertThat(read(store, "a", 0, 200)).isEqualTo(other);
            assertThat(read(store, "b", 0, 200)).hasSize(100);
        }
        assertThat(operations).hasSize(3);
    }

    @Test
    void readsAcrossPartsAndBeyondThem() throws IOException {
        byte[] bytes = object("large", 2500);
        try (ReadAheadStore store = store(new CountDownLatch(1))) {
            store.expect(List.of(
                            new BlobRange("large", 2400, 100),
                            new BlobRange("large", 0, 1000),
                            new BlobRange("large", 1000, 1000))
                    .iterator());
            assertThat(read(store, "large", 2450, 50)).isEqualTo(Arrays.copyOfRange(bytes, 2450, 2500));
            assertThat(read(store, "large", 100, 50)).isEqualTo(Arrays.copyOfRange(bytes, 100, 150));
            assertThat(read(store, "large", 900, 1600)).isEqualTo(Arrays.copyOfRange(bytes, 900, 2500));
            assertThat(store.size("large")).isEqualTo(2500);
            assertThat(read(store, "large", 2500, 10)).isEmpty();
        }
    }

    /** Threads that share a store forget what others expect; they read slower then, and the same. */
    @Test
    void readsWhatIsNotExpectedAnyMore() throws Exception {
        byte[] bytes = object("waited for", 1000);
        CountDownLatch never = new CountDownLatch(2);
        try (ReadAheadStore store = store(never);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            store.expect(List.of(new BlobRange("waited for", 0, 2000)).iterator());
            Future<byte[]> reading = threads.submit(() -> read(store, "waited for", 0, 1000));
            Await.until("the fetch has begun", () -> never.getCount() == 1);
            store.expect(Collections.emptyIterator());
            assertThat(reading.get()).isEqualTo(bytes);
        }
    }

    @Test
    void holdsABoundedNumberOfBytes() throws IOException {
        object("large", 1 << 20);
        List<Integer> asked = new ArrayList<>();
        try (ReadAheadStore store = store(new CountDownLatch(1))) {
            store.expect(IntStream.range(0, 1000)
                    .peek(asked::add)
                    .mapToObj(i -> new BlobRange("large", 0, 1 << 20))
                    .iterator());
            assertThat(asked.size()).isBetween(1, 17);
        }
    }

    @Test
    void saysThatAnObjectIsMissing() throws IOException {
        try (ReadAheadStore store = store(new CountDownLatch(1))) {
            store.expect(List.of(new BlobRange("gone", 0, 100)).iterator());
            assertThatThrownBy(() -> read(store, "gone", 0, 10)).isInstanceOf(NoSuchBlobException.class);
            assertThat(store.size("gone")).isEqualTo(-1);
        }
    }

    /** A part that was refused ahead is asked for again when it is needed: a busy store refuses half of all. */
    @Test
    void asksAgainForWhatWasRefusedAhead() throws IOException {
        MemoryStore objects = new MemoryStore();
        objects.putIfAbsent("a", MemorySegment.ofArray(new byte[] {1, 2, 3}));
        AtomicInteger refusals = new AtomicInteger(1);
        BlobStore busy = new FaultyStore(objects, (operation, done) -> {
            if (!done && operation.kind() == FaultyStore.Kind.GET && refusals.getAndDecrement() > 0) {
                throw new StoreException("503", new IOException(), StoreException.Kind.BUSY);
            }
        });
        try (ReadAheadStore ahead = new ReadAheadStore(busy, Executors.newVirtualThreadPerTaskExecutor())) {
            ahead.expect(List.of(new BlobRange("a", 0, 3)).iterator());
            Await.until("the part was refused", () -> refusals.get() < 1);
            MemorySegment target = MemorySegment.ofArray(new byte[3]);
            assertThat(ahead.get("a", 0, target)).isEqualTo(3);
        }
    }
}
