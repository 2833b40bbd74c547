package io.chagres.tests.tidy;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Something that is not used, and what is used instead.
 *
 * @param use matches the whole of a use: {@code Type.member}, {@code .member}, {@code new Type}, {@code catch Type},
 *     {@code @Annotation} or {@code import name}
 */
record Ban(Pattern use, Predicate<SourceFile> where, String instead) {
    private static final List<String> LIBRARY =
            List.of("foreign", "linux", "watch", "archive", "ship", "mount", "dedupe");
    private static final Predicate<SourceFile> EVERYWHERE = file -> true;

    /** Where code of others is called and everything it throws becomes an answer. */
    private static final List<String> TOPS =
            List.of("cli/src/main/java/io/chagres/cli/Main.java", "fuse/src/main/java/io/chagres/fuse/Session.java");

    /** All of them. */
    static final List<Ban> ALL = List.of(
            ban(
                    "Thread\\.sleep|TimeUnit\\.sleep",
                    outside("bench"),
                    "Await.until of testkit, or a step with an injected clock"),
            ban(
                    "System\\.(currentTimeMillis|nanoTime)|Instant\\.now",
                    outside("bench", "testkit").and(file -> !file.name().endsWith("Clock.java")),
                    "an injected clock; classes named ...Clock read the real one"),
            ban("(Clock|InstantSource)\\.system.*", mainCode(LIBRARY), "the clock that the caller hands in"),
            ban("\\.printStackTrace", EVERYWHERE, "a message for the user, or System.Logger"),
            ban(
                    "String\\.format|\\.formatted",
                    mainCode("linux", "watch", "ship", "fuse", "mount", "dedupe"),
                    "concatenation: a format is parsed each time"),
            ban(
                    "catch (Exception|Throwable)",
                    file -> !TOPS.contains(file.path()),
                    "the exceptions that can come; only around invokeExact and at the very top all are caught"),
            ban(
                    "new Thread",
                    outside("cli"),
                    "an injected Executor; in tests an ExecutorService, which keeps failures"),
            ban(
                    "Thread\\.(ofPlatform|ofVirtual|startVirtualThread)|Executors\\..*",
                    mainCode(LIBRARY),
                    "an injected Executor"),
            ban("@Disabled", EVERYWHERE, "Requires of testkit, or a test that asserts today's result"),
            ban(
                    "Assumptions\\..*|import static org\\.junit\\.jupiter\\.api\\.Assumptions\\..*",
                    outside("testkit"),
                    "Requires of testkit, which can turn a skip into a failure"),
            ban(
                    "Arena\\.ofAuto|Cleaner\\.create|import java\\.lang\\.ref\\.Cleaner",
                    EVERYWHERE,
                    "an owner with close()"),
            ban(
                    "Arena\\.global",
                    mainCode("linux", "watch", "archive", "ship", "fuse", "mount", "dedupe", "cli"),
                    "an arena that its owner closes"),
            ban(
                    "import java\\.(nio\\.file|io\\.(File(?!Descriptor)|RandomAccess)).*"
                            + "|new (RandomAccess)?File(.*putStream)?",
                    mainCode(LIBRARY),
                    "Fd, Directory and Pathname of module linux: names on disk are bytes"),
            ban(
                    "import io\\.chagres\\.(?!testkit\\.).*",
                    mainCode("testkit"),
                    "nothing of the project: all modules' tests use testkit"));

    private static Ban ban(String use, Predicate<SourceFile> where, String instead) {
        return new Ban(Pattern.compile(use), where, instead);
    }

    private static Predicate<SourceFile> outside(String... modules) {
        return file -> !List.of(modules).contains(file.module());
    }

    private static Predicate<SourceFile> mainCode(String... modules) {
        return mainCode(List.of(modules));
    }

    private static Predicate<SourceFile> mainCode(List<String> modules) {
        return file -> file.isMainCodeOf(modules);
    }
}
