package io.chagres.bench;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * {@code ParkedThreads ATTACHMENT THREADS}: virtual threads that have each used scratch memory once and wait now, with
 * another way to attach the memory to them. Prints bytes per thread: of the Java heap after a collection, and of the
 * resident process, which includes the heap.
 */
public final class ParkedThreads {
    private static final long CAPACITY = 64 << 10;
    private static final ThreadLocal<MemoryStack> LOCAL = ThreadLocal.withInitial(() -> new MemoryStack(CAPACITY));
    private static final ScopedValue<MemoryStack> SCOPED = ScopedValue.newInstance();

    private final CountDownLatch parked;
    private final CountDownLatch released = new CountDownLatch(1);

    private ParkedThreads(int threads) {
        parked = new CountDownLatch(threads);
    }

    /** Runs one combination. */
    public static void main(String[] args) throws IOException, InterruptedException {
        new ParkedThreads(Integer.parseInt(args[1])).run(args[0], Integer.parseInt(args[1]));
    }

    private void run(String attachment, int count) throws IOException, InterruptedException {
        long heap = heapBytes();
        long resident = residentBytes();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                threads.execute(() -> useAndPark(attachment));
            }
            parked.await();
            long usedHeap = heapBytes() - heap;
            long usedResident = residentBytes() - resident;
            System.out.println(usedHeap / count + " " + usedResident / count);
            released.countDown();
        }
    }

    private void useAndPark(String attachment) {
        switch (attachment) {
            case "none" -> park();
            case "parameter" -> {
                try (MemoryStack stack = new MemoryStack(CAPACITY)) {
                    use(stack);
                    park();
                }
            }
            case "threadLocal" -> {
                use(LOCAL.get());
                park();
                LOCAL.get().close();
            }
            case "scopedValue" -> {
                try (MemoryStack stack = new MemoryStack(CAPACITY)) {
                    ScopedValue.where(SCOPED, stack).run(() -> {
                        use(SCOPED.get());
                        park();
                    });
                }
            }
            case "ofThread" -> {
                use(MemoryStack.ofThread());
                park();
            }
            case "ofThreadInFrame" -> {
                try (Frame frame = MemoryStack.ofThread().push()) {
                    frame.allocate(16, 8);
                    park();
                }
            }
            default -> throw new IllegalArgumentException("no attachment is called " + attachment);
        }
    }

    private static void use(MemoryStack stack) {
        try (Frame frame = stack.push()) {
            frame.allocate(16, 8).set(ValueLayout.JAVA_LONG, 0, 42);
        }
    }

    private void park() {
        parked.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        throw new IOException("/proc/self/status: no VmRSS");
    }
}
