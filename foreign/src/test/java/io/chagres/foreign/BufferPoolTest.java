package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Await;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
            assertThat(pool.tryTake()).isSameAs(a);
            pool.give(a);
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
            assertThat(waiting.get()).isSameAs(only);
            pool.give(only);
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

    private static MemorySegment taken(BufferPool pool) {
        return Objects.requireNonNull(pool.tryTake());
    }
}
