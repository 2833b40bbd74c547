package io.chagres.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Gives a parser hostile inputs: first those of the corpus, {@code src/test/resources/fuzz/<class of the test>/}, then
 * made ones for some seconds. Each input has its own seed, which is printed when it
 * fails; the input is then kept in {@code target/fuzz}, from where it goes into the corpus.
 */
public final class Fuzz {
    /** No input takes so long, however busy the machine is, in seconds. */
    private static final long HANG_SECONDS = 120;

    /** The time for making inputs; a run takes its {@link Share} of it. */
    private static final int SECONDS = 20;

    /** A parser under test. */
    public interface Target {
        /** Makes an input. */
        byte[] make(RandomGenerator random) throws Exception;

        /** Gives it to the parser; whatever is thrown is a find. */
        void check(byte[] input) throws Exception;
    }

    private Fuzz() {}

    /** Gives inputs to a target until one fails or the time is over. */
    public static void run(Class<?> test, Target target) throws Exception {
        for (Path each : corpus(test)) {
            check(target, Files.readAllBytes(each), each.toString());
        }
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Share.count(SECONDS));
        long seed = Seeds.next(test.getSimpleName());
        int inputs = 0;
        do {
            byte[] input = target.make(Seeds.random(seed));
            Path kept = Path.of("target/fuzz", test.getSimpleName() + "-" + seed);
            try {
                check(target, input, "seed " + seed + ", input kept in " + kept);
            } catch (AssertionError e) {
                Files.createDirectories(kept.getParent());
                Files.write(kept, input);
                throw e;
            }
            seed++;
            inputs++;
        } while (System.nanoTime() < endNs);
        System.out.println(test.getSimpleName() + ": " + inputs + " inputs");
    }

    private static List<Path> corpus(Class<?> test) throws IOException {
        Path directory = Path.of("src/test/resources/fuzz", test.getSimpleName());
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    private static void check(Target target, byte[] input, String name) throws InterruptedException {
        FutureTask<Void> task = new FutureTask<>(() -> {
            target.check(input);
            return null;
        });
        Thread thread = Thread.ofPlatform().daemon().name("fuzz").start(task);
        try {
            task.get(HANG_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(name + ": " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            AssertionError hang = new AssertionError(name + ": no end after " + HANG_SECONDS + " s");
            hang.setStackTrace(thread.getStackTrace());
            throw hang;
        }
    }
}
