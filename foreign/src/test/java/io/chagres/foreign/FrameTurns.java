package io.chagres.foreign;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A program: many virtual threads push, fill, verify and close frames in turns, and between turns all of them park
 * inside a frame. Prints how many carriers took part. Its own JVM, because that number is set when a JVM starts.
 */
final class FrameTurns {
    private static final int SLICE_BYTES = 512;
    private static final Set<String> CARRIERS = ConcurrentHashMap.newKeySet();

    /** An open frame and what was written into it. */
    private record Filled(Frame frame, MemorySegment slice, byte content) {}

    private FrameTurns() {}

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        int threads = Integer.parseInt(args[0]);
        int turns = Integer.parseInt(args[1]);
        CyclicBarrier allParked = new CyclicBarrier(threads);
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int seed = i;
                running.add(executor.submit(() -> {
                    takeTurns(new Random(seed), turns, allParked);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        System.out.println("carriers: " + CARRIERS.size());
    }

    private static void takeTurns(Random random, int turns, CyclicBarrier allParked) throws Exception {
        Deque<Filled> open = new ArrayDeque<>();
        for (int turn = 0; turn < turns; turn++) {
            if (open.isEmpty() || random.nextBoolean()) {
                open.push(filled(random));
            }
            String thread = Thread.currentThread().toString();
            CARRIERS.add(thread.substring(thread.lastIndexOf('@')));
            allParked.await();
            for (Filled each : open) {
                verify(each);
            }
            if (random.nextBoolean()) {
                open.pop().frame.close();
            }
        }
        while (!open.isEmpty()) {
            verify(open.peek());
            open.pop().frame.close();
        }
    }

    private static Filled filled(Random random) {
        Frame frame = MemoryStack.ofThread().push();
        byte content = (byte) random.nextInt();
        MemorySegment slice = frame.allocate(1 + random.nextInt(SLICE_BYTES), 1 << random.nextInt(5));
        return new Filled(frame, slice.fill(content), content);
    }

    private static void verify(Filled filled) {
        for (long i = 0; i < filled.slice.byteSize(); i++) {
            if (filled.slice.get(ValueLayout.JAVA_BYTE, i) != filled.content) {
                throw new AssertionError("a frame was overwritten at " + i);
            }
        }
    }
}
