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
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Counts what the time of a test class is spent on, as far as the testkit does it, and writes that beside its report
 * for {@link TestTimes}. JUnit finds it by itself. Threads count for the class whose test started them; the time of two
 * at once counts twice. Safe for many threads.
 */
public final class Spent implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private static final double SECOND_NS = 1e9;
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(Spent.class);

    /** Time that is counted until it is closed. */
    public interface Span extends AutoCloseable {
        @Override
        void close();
    }

    private static final InheritableThreadLocal<@Nullable Map<Spending, Long>> CLASS = new InheritableThreadLocal<>();
    private static final ThreadLocal<Boolean> COUNTED = ThreadLocal.withInitial(() -> false);

    /** Starts to count. Time inside a span that is counted already belongs to that span. */
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
            Map<Spending, Long> times = new EnumMap<>(Spending.class);
            context.getStore(SPACE).put(CLASS, times);
            CLASS.set(times);
        }
    }

    /** A method that runs beside others of its class has another thread. */
    @Override
    public void beforeEach(ExtensionContext context) {
        CLASS.set(times(context));
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Map<Spending, Long> times(ExtensionContext context) {
        return (Map<Spending, Long>) context.getStore(SPACE).get(CLASS);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Map<Spending, Long> times = times(context);
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
