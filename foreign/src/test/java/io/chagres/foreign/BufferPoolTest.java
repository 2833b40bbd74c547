package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Allocations;
import io.chagres.testkit.Await;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    @Test
    void neverHoldsMoreThanItsBound() {
        try (BufferPool pool = new BufferPool(100, 2)) {
            MemorySegment a = taken(pool);
            MemorySegment b = taken(pool);
            assertThat(a.byteSize()).isEqualTo(100);
            assertThat(b.address()).isNotEqualTo(a.address());
            assertThat(pool.tryTake()).isNull();
            pool.give(a);
            MemorySegment again = taken(pool);
            assertThat(again.address()).isEqualTo(a.address());
            pool.give(again);
            pool.give(b);
        }
    }

    @Test
    void takingWaitsUntilABufferIsGivenBack() throws InterruptedException, ExecutionException {
        try (BufferPool pool = new BufferPool(8, 1);
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            MemorySegment only = pool.take();
            CompletableFuture<Thread> started = new CompletableFuture<>();
            Future<MemorySegment> waiting = executor.submit(() -> {
                started.complete(Thread.currentThread());
                return pool.take();
            });
            Thread taker = started.get();
            Await.until("the taker waits", () -> taker.getState() == Thread.State.WAITING);
            pool.give(only);
            assertThat(waiting.get().address()).isEqualTo(only.address());
            pool.give(waiting.get());
            pool.checkAllGiven();
        }
    }

    @Test
    void closingWakesAndRefusesTakers() throws InterruptedException, ExecutionException {
        BufferPool pool = new BufferPool(8, 1);
        MemorySegment held = pool.take();
        CompletableFuture<Thread> started = new CompletableFuture<>();
        CompletableFuture<MemorySegment> waiting = CompletableFuture.supplyAsync(() -> {
            started.complete(Thread.currentThread());
            try {
                return pool.take();
            } catch (InterruptedException e) {
                throw new CompletionException(e);
            }
        });
        Thread taker = started.get();
        Await.until("the taker waits", () -> taker.getState() == Thread.State.WAITING);
        pool.close();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(held.scope().isAlive()).isTrue();
        pool.give(held);
        assertThat(held.scope().isAlive()).isFalse();
        assertThatThrownBy(pool::tryTake).isInstanceOf(IllegalStateException.class);
        pool.close();
    }

    @Test
    void idleMemoryIsReleasedAndComesBack() {
        try (BufferPool pool = new BufferPool(8, 3)) {
            MemorySegment held = taken(pool);
            MemorySegment idle = taken(pool);
            pool.give(idle);
            assertThat(pool.releaseIdle()).isEqualTo(1);
            assertThat(idle.scope().isAlive()).isFalse();
            assertThat(held.scope().isAlive()).isTrue();
            assertThat(pool.tryTake()).isNotNull();
            assertThat(pool.tryTake()).isNotNull();
            assertThat(pool.tryTake()).isNull();
        }
    }

    @Test
    void onlyWholeTakenBuffersAreTakenBack() {
        try (BufferPool pool = new BufferPool(8, 2)) {
            MemorySegment taken = taken(pool);
            assertThatThrownBy(() -> pool.give(taken.asSlice(4))).isInstanceOf(IllegalArgumentException.class);
            pool.give(taken);
            assertThatThrownBy(() -> pool.give(taken)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void waitingEndsAfterItsTime() throws InterruptedException {
        try (BufferPool pool = new BufferPool(8, 1)) {
            MemorySegment only = Objects.requireNonNull(pool.tryTake(1_000));
            assertThat(pool.tryTake(1)).isNull();
            assertThat(pool.tryTake(0)).isNull();
            pool.give(only);
        }
    }

    @Test
    void aLeakShowsWhoTookTheBuffer() {
        try (BufferPool pool = new BufferPool(8, 3)) {
            pool.checkAllGiven();
            MemorySegment leaked = taken(pool);
            pool.give(taken(pool));
            assertThat(pool.taken()).isOne();
            assertThatThrownBy(pool::checkAllGiven)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("1 of 3 buffers were not given back")
                    .satisfies(leak -> assertThat(leak.getSuppressed()[0])
                            .hasMessageContaining(Thread.currentThread().getName())
                            .hasStackTraceContaining("aLeakShowsWhoTookTheBuffer"));
            pool.give(leaked);
            pool.checkAllGiven();
        }
    }

    @Test
    void aBufferUsedAfterItWasGivenBackThrows() {
        try (BufferPool pool = new BufferPool(8, 1)) {
            MemorySegment stale = taken(pool);
            pool.give(stale);
            MemorySegment next = taken(pool);
            assertThatThrownBy(() -> stale.set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
                    .isInstanceOf(IllegalStateException.class);
            next.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            pool.give(next);
        }
    }

    @Test
    void manyVirtualThreadsShareFewBuffers() throws InterruptedException, ExecutionException {
        int threads = 500;
        try (BufferPool pool = new BufferPool(256, 3);
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> rounds = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                byte mine = (byte) i;
                boolean patient = i % 2 == 0;
                rounds.add(executor.submit(() -> useOften(pool, mine, patient)));
            }
            for (Future<Integer> each : rounds) {
                assertThat(each.get()).isEqualTo(20);
            }
            pool.checkAllGiven();
            assertThat(pool.releaseIdle()).isBetween(1, 3);
        }
    }

    private static int useOften(BufferPool pool, byte content, boolean patient) throws InterruptedException {
        byte[] mine = new byte[256];
        Arrays.fill(mine, content);
        int uses = 0;
        while (uses < 20) {
            MemorySegment buffer = patient ? pool.take() : pool.tryTake(50);
            if (buffer != null) {
                buffer.fill(content);
                Thread.yield();
                assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(mine);
                pool.give(buffer);
                uses++;
            }
        }
        return uses;
    }

    @Test
    @Tag("unchecked")
    void takingAndGivingAllocateNothing() {
        try (BufferPool pool = new BufferPool(256, 4)) {
            long bytes = Allocations.fewestBytes(500, () -> {
                for (int i = 0; i < 10_000; i++) {
                    MemorySegment buffer = taken(pool);
                    pool.give(buffer);
                }
            });
            assertThat(bytes).isZero();
        }
    }

    private static MemorySegment taken(BufferPool pool) {
        return Objects.requireNonNull(pool.tryTake());
    }
}
