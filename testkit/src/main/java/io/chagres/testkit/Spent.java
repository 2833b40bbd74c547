package io.chagres.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Counts what the time of a test class is spent on, as far as the testkit does it, and writes that beside its report
 * for {@link TestTimes}. JUnit finds it by itself. Threads count for the class whose thread started them; what two do
 * at the same time counts twice. Safe for many threads.
 */
public final class Spent implements BeforeAllCallback, AfterAllCallback {
    private static final double SECOND_NS = 1e9;

    /** Time that is counted until it is closed. */
    public interface Span extends AutoCloseable {
        @Override
        void close();
    }

    private static final InheritableThreadLocal<@Nullable Map<Spending, Long>> CLASS = new InheritableThreadLocal<>();
    private static final ThreadLocal<Boolean> COUNTED = ThreadLocal.withInitial(() -> false);

    /** Starts to count. What is inside of something that is counted belongs to that. */
    public static Span on(Spending what) {
        Map<Spending, Long> times = CLASS.get();
        if (times == null || COUNTED.get()) {
            return () -> {};
        }
        COUNTED.set(true);
        long startNs = System.nanoTime();
        return () -> {
            COUNTED.set(false);
            add(times, what, System.nanoTime() - startNs);
        };
    }

    static void searches() {
        Map<Spending, Long> times = CLASS.get();
        if (times != null) {
            add(times, Spending.SEARCHES, 0);
        }
    }

    private static void add(Map<Spending, Long> times, Spending what, long ns) {
        synchronized (times) {
            times.merge(what, ns, Long::sum);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (context.getRequiredTestClass().getEnclosingClass() == null) {
            CLASS.set(new EnumMap<>(Spending.class));
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Map<Spending, Long> times = CLASS.get();
        Class<?> test = context.getRequiredTestClass();
        if (times == null || test.getEnclosingClass() != null) {
            return;
        }
        CLASS.remove();
        Path reports = Path.of(System.getProperty("build.folder", "target"), "surefire-reports");
        StringBuilder lines = new StringBuilder();
        synchronized (times) {
            times.forEach((what, ns) -> lines.append(String.format(Locale.ROOT, "%s %.3f%n", what, ns / SECOND_NS)));
        }
        if (Files.isDirectory(reports) && !lines.isEmpty()) {
            Files.writeString(reports.resolve("SPENT-" + test.getName() + ".txt"), lines);
        }
    }
}
