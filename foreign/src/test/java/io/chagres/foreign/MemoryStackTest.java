package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Allocations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MemoryStackTest {
    @Test
    void segmentsOfOpenFramesAreDistinctAndAligned() {
        try (MemoryStack stack = new MemoryStack(1024);
                Frame outer = stack.push()) {
            MemorySegment a = outer.allocate(3, 1);
            MemorySegment b = outer.allocate(8, 8);
            assertThat(b.address() % 8).isZero();
            assertThat(b.address()).isGreaterThanOrEqualTo(a.address() + 3);
            try (Frame inner = stack.push()) {
                MemorySegment c = inner.allocate(64, 64);
                assertThat(c.address() % 64).isZero();
                assertThat(c.address()).isGreaterThanOrEqualTo(b.address() + 8);
                assertThat(c.byteSize()).isEqualTo(64);
            }
        }
    }

    @Test
    void closingGivesTheMemoryBack() {
        try (MemoryStack stack = new MemoryStack(64)) {
            for (int i = 0; i < 1000; i++) {
                try (Frame frame = stack.push()) {
                    frame.allocate(64, 1);
                }
            }
            assertThat(stack.overflows()).isZero();
        }
    }

    @Test
    void whatDoesNotFitComesFromElsewhereAndIsCounted() {
        try (MemoryStack stack = new MemoryStack(16)) {
            MemorySegment large;
            try (Frame frame = stack.push()) {
                MemorySegment small = frame.allocate(16, 1);
                large = frame.allocate(1000, 8);
                large.fill((byte) 1);
                small.fill((byte) 2);
                assertThat(large.get(ValueLayout.JAVA_BYTE, 999)).isEqualTo((byte) 1);
                assertThat(stack.overflows()).isEqualTo(1);
            }
            assertThat(large.scope().isAlive()).isFalse();
        }
    }

    @Test
    void aStackOfNothingStillWorks() {
        try (MemoryStack stack = new MemoryStack(0);
                Frame frame = stack.push()) {
            frame.allocate(8, 8).set(ValueLayout.JAVA_LONG, 0, 5);
            assertThat(stack.overflows()).isEqualTo(1);
        }
    }

    @Test
    @Tag("unchecked")
    void aClosedFrameIsNotTheOneThatIsOpen() {
        List<Frame> open = new ArrayList<>();
        try (MemoryStack stack = new MemoryStack(64)) {
            for (int depth = 0; depth < 9; depth++) { // more than there is room for at first
                for (int i = 0; i < 15; i++) {
                    Frame stale = stack.push();
                    stale.close();
                    try (Frame next = stack.push()) {
                        assertThatThrownBy(stale::close).isInstanceOf(IllegalStateException.class);
                        assertThatThrownBy(() -> stale.allocate(1, 1)).isInstanceOf(IllegalStateException.class);
                        next.allocate(1, 1);
                    }
                }
                open.add(stack.push());
            }
            open.reversed().forEach(Frame::close);
        }
    }

    @Test
    void framesCloseInOrder() {
        MemoryStack stack = new MemoryStack(64);
        Frame outer = stack.push();
        Frame inner = stack.push();
        assertThatThrownBy(outer::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> outer.allocate(1, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(stack::close).isInstanceOf(IllegalStateException.class);
        inner.close();
        outer.close();
        assertThatThrownBy(outer::close).isInstanceOf(IllegalStateException.class);
        stack.close();
        stack.close();
    }

    @Test
    void framesNestDeeplyAndAreReused() {
        try (MemoryStack stack = new MemoryStack(4096)) {
            for (int round = 0; round < 2; round++) {
                List<Frame> frames = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    frames.add(stack.push());
                    frames.getLast().allocate(8, 8).set(ValueLayout.JAVA_LONG, 0, i);
                }
                frames.reversed().forEach(Frame::close);
            }
            assertThat(stack.overflows()).isZero();
        }
    }

    @Test
    void anotherThreadIsRefused() throws InterruptedException {
        try (MemoryStack stack = new MemoryStack(64);
                Frame frame = stack.push();
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            assertThat(failure(other, stack::push)).isInstanceOf(WrongThreadException.class);
            assertThat(failure(other, frame::close)).isInstanceOf(WrongThreadException.class);
            assertThat(failure(other, () -> frame.allocate(1, 1))).isInstanceOf(WrongThreadException.class);
        }
    }

    @Test
    void oddArgumentsAreRefused() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            assertThatThrownBy(() -> frame.allocate(-1, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> frame.allocate(1, 3)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> frame.allocate(1, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> frame.allocate(1, Long.MIN_VALUE)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void useAfterCloseThrows() {
        try (MemoryStack stack = new MemoryStack(64)) {
            Frame outer = stack.push();
            MemorySegment survivor = outer.allocate(8, 8);
            Frame inner = stack.push();
            MemorySegment dead = inner.allocate(8, 8);
            MemorySegment deadOverflow = inner.allocate(1000, 8);
            MemorySegment deadSlice = dead.asSlice(4);
            assertThat(inner.scope()).isEqualTo(dead.scope()).isNotEqualTo(outer.scope());
            inner.close();
            for (MemorySegment each : List.of(dead, deadOverflow, deadSlice)) {
                assertThatThrownBy(() -> each.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
            }
            assertThat(inner.scope().isAlive()).isFalse();
            try (Frame next = stack.push()) {
                assertThatThrownBy(() -> inner.allocate(8, 8)).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(inner::close).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> dead.set(ValueLayout.JAVA_LONG, 0, 1))
                        .isInstanceOf(IllegalStateException.class);
                next.allocate(8, 8).set(ValueLayout.JAVA_LONG, 0, 2);
            }
            survivor.set(ValueLayout.JAVA_LONG, 0, 3);
            outer.close();
        }
    }

    @Test
    void aClosedFrameOverwritesItsMemory() {
        try (MemoryStack stack = new MemoryStack(64)) {
            long address;
            try (Frame frame = stack.push()) {
                MemorySegment dying = frame.allocate(8, 8);
                dying.set(ValueLayout.JAVA_LONG, 0, 7);
                address = dying.address();
            }
            MemorySegment kept = MemorySegment.ofAddress(address).reinterpret(8);
            assertThat(kept.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0xdfdf_dfdf_dfdf_dfdfL);
        }
    }

    @Test
    void threadsThatEndInsideAFrameLoseNoBlock() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            Thread thread =
                    Thread.ofVirtual().start(() -> MemoryStack.ofThread().push());
            thread.join();
        }
        MemoryStack stack = MemoryStack.ofThread();
        long before = stack.overflows();
        try (Frame frame = stack.push()) {
            frame.allocate(8, 8);
        }
        assertThat(stack.overflows()).isEqualTo(before);
    }

    @Test
    @Tag("unchecked")
    void framesOfVirtualThreadsAllocateNothing() throws InterruptedException {
        long[] bytes = {1};
        Thread.ofVirtual()
                .start(() -> bytes[0] = Allocations.fewestBytes(500, () -> pushAndWrite(MemoryStack.ofThread())))
                .join();
        assertThat(bytes[0]).isZero();
    }

    @Test
    void theStackOfAThreadIsNotClosed() {
        assertThat(MemoryStack.ofThread()).isSameAs(MemoryStack.ofThread());
        assertThatThrownBy(MemoryStack.ofThread()::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void moreThreadsThanBlocksKeepTheirMemoryApart() throws InterruptedException, ExecutionException {
        int threads = 200;
        CountDownLatch allWrote = new CountDownLatch(threads);
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> seen = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                long mine = i;
                seen.add(executor.submit(() -> {
                    try (Frame frame = MemoryStack.ofThread().push()) {
                        MemorySegment own = frame.allocate(8, 8);
                        own.set(ValueLayout.JAVA_LONG, 0, mine);
                        allWrote.countDown();
                        allWrote.await();
                        return own.get(ValueLayout.JAVA_LONG, 0);
                    }
                }));
            }
            for (int i = 0; i < threads; i++) {
                assertThat(seen.get(i).get()).isEqualTo(i);
            }
        }
    }

    @Test
    @Tag("unchecked")
    void framesAllocateNothing() {
        assertThat(Allocations.fewestBytes(500, () -> pushAndWrite(MemoryStack.ofThread())))
                .isZero();
        try (MemoryStack stack = new MemoryStack(1024)) {
            assertThat(Allocations.fewestBytes(500, () -> pushAndWrite(stack))).isZero();
        }
    }

    private static void pushAndWrite(MemoryStack stack) {
        for (int i = 0; i < 20_000; i++) {
            try (Frame frame = stack.push()) {
                frame.allocate(16, 8).set(ValueLayout.JAVA_LONG, 0, i);
            }
        }
    }

    private static Throwable failure(ExecutorService executor, Runnable work) throws InterruptedException {
        try {
            executor.submit(work).get();
            return new AssertionError("did not fail");
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void refusesASizeBelowNothing() {
        assertThatIllegalArgumentException().isThrownBy(() -> new MemoryStack(-1));
    }

    @Test
    void aClosedStackOpensNoFrame() {
        for (long capacity : new long[] {0, 64}) {
            MemoryStack stack = new MemoryStack(capacity);
            stack.close();
            assertThatIllegalStateException().isThrownBy(stack::push);
            stack.close();
        }
    }
}
