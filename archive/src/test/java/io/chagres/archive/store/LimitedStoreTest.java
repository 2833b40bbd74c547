package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Puts that wait for their turn. */
class LimitedStoreTest {
    private static final MemorySegment CONTENT = MemorySegment.ofArray(new byte[10_000]);

    private final AtomicLong nowMs = new AtomicLong();
    private final MemoryStore objects = new MemoryStore();
    private final AtomicLong rate = new AtomicLong(100);
    private final LimitedStore store = new LimitedStore(objects, rate::get, nowMs::get);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    private Future<Boolean> put(String key) {
        return threads.submit(() -> store.putIfAbsent(key, CONTENT));
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void waitsForThoseBefore() throws Exception {
        assertThat(put("a").get()).isTrue();
        Thread[] second = new Thread[1];
        Future<Boolean> put = threads.submit(() -> {
            second[0] = Thread.currentThread();
            return store.putIfAbsent("b", CONTENT);
        });
        Await.until("the second put waits", () -> second[0] != null && waits(second[0]));
        assertThat(objects.size("b")).isEqualTo(-1);
        store.lift(1);
        assertThat(put.get()).isTrue();
    }

    /** A put that waits at the rate of the day continues at the rate of the night. */
    @Test
    void goesByTheRateThatIsAllowedNow() throws Exception {
        assertThat(put("a").get()).isTrue();
        Thread[] second = new Thread[1];
        Future<Boolean> put = threads.submit(() -> {
            second[0] = Thread.currentThread();
            return store.putIfAbsent("b", CONTENT);
        });
        Await.until("the second put waits", () -> second[0] != null && waits(second[0]));
        nowMs.addAndGet(1);
        rate.set(0);
        assertThat(put.get()).isTrue();
        rate.set(10_000_000);
        nowMs.addAndGet(1);
        assertThat(store.putIfAbsent("c", CONTENT)).isTrue();
    }

    @Test
    void letsWhatIsSmallPass() throws IOException {
        assertThat(store.putIfAbsent("a", CONTENT)).isTrue();
        assertThat(store.putIfAbsent("b", CONTENT.asSlice(0, 4096))).isTrue();
    }

    @Test
    void goesAtOnceWhenItsTimeHasCome() throws IOException {
        assertThat(store.putIfAbsent("a", CONTENT)).isTrue();
        nowMs.addAndGet(TimeUnit.SECONDS.toMillis(100));
        assertThat(store.putIfAbsent("b", CONTENT)).isTrue();
    }

    @Test
    void limitsObjectsThatAreWrittenPieceByPiece() throws Exception {
        try (BlobWriter writer = store.create("a")) {
            writer.write(CONTENT, 0, 5_000);
            writer.write(CONTENT, 0, 5_000);
            writer.commit();
        }
        Thread[] second = new Thread[1];
        Future<Boolean> put = threads.submit(() -> {
            second[0] = Thread.currentThread();
            return store.putIfAbsent("b", CONTENT);
        });
        Await.until("the second put waits", () -> second[0] != null && waits(second[0]));
        store.lift(Long.MAX_VALUE);
        assertThat(put.get()).isTrue();
        assertThat(store.putIfAbsent("c", CONTENT)).as("lifted for good").isTrue();
    }
}
