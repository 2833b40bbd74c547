package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session in dry runs, which any file system allows. */
@Tag("long")
@Timeout(120)
final class DedupeSessionTest {
    private static final DedupeOptions DRY = DedupeOptions.DEFAULT.asDryRun(false);

    private final Told told = new Told();
    private final Path top;

    DedupeSessionTest(@TempDir Path temp) {
        top = temp;
    }

    private DedupeSession session(ExecutorService executor) {
        return session(DRY, executor);
    }

    private List<Pathname> paths() {
        return List.of(Pathname.of(top.toString()));
    }

    @Test
    void goesOverAllOnce() throws IOException {
        Files.write(top.resolve("a"), new byte[5000]);
        Files.write(top.resolve("b"), new byte[5000]);
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                DedupeSession session = session(executor)) {
            session.run(paths());
        }
        assertThat(told.shared).hasSize(1);
        assertThat(told.files).containsExactly(2L);
    }

    @Test
    void aStopBeforeTheStartCounts() throws IOException {
        Files.write(top.resolve("a"), new byte[5000]);
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                DedupeSession session = session(executor)) {
            session.stop();
            session.run(paths());
        }
        assertThat(told.files).as("nothing is listed").containsExactly(0L);
    }

    @Test
    void followsWhatAppears() throws Exception {
        Files.write(top.resolve("a"), new byte[5000]);
        try (ExecutorService executor = Executors.newFixedThreadPool(3);
                DedupeSession session = session(executor)) {
            Future<?> following = executor.submit(() -> {
                session.follow(paths(), 1);
                return null;
            });
            Await.until("everything is listed", () -> !told.files.isEmpty() || following.isDone());
            Files.write(top.resolve("b"), new byte[5000]);
            Await.until("the new file is compared", () -> !told.shared.isEmpty() || following.isDone());
            Files.write(top.resolve("b"), new byte[5000]);
            Await.until("it is compared again", () -> told.shared.size() > 1 || following.isDone());
            session.stop();
            following.get(60, TimeUnit.SECONDS);
        }
        assertThat(told.shared).hasSize(2);
        assertThat(told.hardLinks).as("a file that changed is not two").containsOnly(0L);
    }

    /** A path may go and come, as where it is mounted, and the others are followed meanwhile. */
    @Test
    void followsAPathThatIsMadeAgain() throws Exception {
        Path one = Files.createDirectory(top.resolve("one"));
        Path other = Files.createDirectories(top.resolve("other/below")).getParent();
        List<Pathname> both = List.of(Pathname.of(one.toString()), Pathname.of(other.toString()));
        try (ExecutorService executor = Executors.newFixedThreadPool(3);
                DedupeSession session = session(executor)) {
            Future<?> following = executor.submit(() -> {
                session.follow(both, 1);
                return null;
            });
            Await.until("everything is listed", () -> !told.files.isEmpty() || following.isDone());
            Files.delete(one);
            Files.move(other.resolve("below"), other.resolve("renamed"));
            Await.until("it is missed", () -> !told.problems.isEmpty() || following.isDone());
            assertThat(told.problems).first().asString().startsWith(one + ": is not looked at until");
            Files.createDirectory(one);
            Files.write(one.resolve("a"), new byte[5000]);
            Files.write(one.resolve("b"), new byte[5000]);
            Await.until("its files are compared", () -> !told.shared.isEmpty() || following.isDone());
            session.stop();
            following.get(60, TimeUnit.SECONDS);
        }
    }

    /** Returns where a database goes, and something that is in the way of writing it. */
    private DedupeOptions unwritable(Path tree) throws IOException {
        Path home = Files.createDirectory(top.resolve("home"));
        Files.createDirectory(home.resolve("db." + ProcessHandle.current().pid() + ".new"));
        Files.write(Files.createDirectory(tree).resolve("a"), new byte[5000]);
        return DedupeOptions.DEFAULT.withDatabase(Pathname.of(home + "/db"));
    }

    private DedupeSession session(DedupeOptions options, ExecutorService executor) {
        return new DedupeSession(options, DedupeSession.Phases.FILES, Run.LATER, told, executor, 2);
    }

    /** What is shared is shared: a database that cannot be written costs only time, later. */
    @Test
    void saysWhatWasDoneWhereTheDatabaseCannotBeWritten() throws IOException {
        Path tree = top.resolve("tree");
        DedupeOptions options = unwritable(tree);
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                DedupeSession session = session(options, executor)) {
            assertThatThrownBy(() -> session.run(List.of(Pathname.of(tree.toString()))))
                    .isInstanceOf(IOException.class);
        }
        assertThat(told.files).containsExactly(1L);
    }

    @Test
    void followsWhereTheDatabaseCannotBeWritten() throws Exception {
        Path tree = top.resolve("tree");
        DedupeOptions options = unwritable(tree);
        try (ExecutorService executor = Executors.newFixedThreadPool(3);
                DedupeSession session = session(options, executor)) {
            Future<?> following = executor.submit(() -> {
                session.follow(List.of(Pathname.of(tree.toString())), 1);
                return null;
            });
            Await.until("everything is listed", () -> !told.files.isEmpty() || following.isDone());
            assertThat(told.problems).hasSize(1).first().asString().contains("/db: is not written");
            Files.delete(top.resolve("home/db." + ProcessHandle.current().pid() + ".new"));
            Files.write(tree.resolve("b"), new byte[5000]);
            Await.until("it is written", () -> Files.exists(top.resolve("home/db")) || following.isDone());
            session.stop();
            following.get(60, TimeUnit.SECONDS);
        }
        assertThat(told.problems).hasSize(1);
    }

    @Test
    void refusesWhatIsNeitherDirectoryNorFile() throws IOException {
        Path link = Files.createSymbolicLink(top.resolve("link"), top);
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                DedupeSession session = session(executor)) {
            assertThatThrownBy(() -> session.run(List.of(Pathname.of(link.toString()))))
                    .isInstanceOf(PathTypeException.class)
                    .hasMessage(link + " is a symbolic link; name what it leads to");
        }
    }

    @Test
    void aWorkerThatFailsEndsTheOthers() throws IOException {
        AtomicInteger made = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                Dedupe dedupe = new Dedupe(DRY, Run.LATER, told)) {
            assertThatThrownBy(() -> new StepWorkers(executor)
                            .run(dedupe, 2, () -> new Endless(dedupe, made.getAndIncrement() > 0, closed), () -> {}))
                    .hasRootCauseMessage("a fault");
            assertThat(closed).as("while the paths are open").hasValue(2);
        }
    }

    /** Works until it is stopped, or fails. */
    private record Endless(Dedupe dedupe, boolean fails, AtomicInteger closed) implements DedupeWorker {
        @Override
        public boolean step() {
            if (fails) {
                throw new IllegalStateException("a fault");
            }
            return !dedupe.isStopped();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    private static final class Told implements SessionListener {
        final List<Pathname> shared = new CopyOnWriteArrayList<>();
        final List<Long> files = new CopyOnWriteArrayList<>();
        final List<Long> hardLinks = new CopyOnWriteArrayList<>();
        final List<String> problems = new CopyOnWriteArrayList<>();

        @Override
        public void shared(Pathname source, Pathname file, long lengthBytes) {
            shared.add(file);
        }

        @Override
        public void sharedRange(Pathname source, long sourcePosition, Pathname file, long position, long lengthBytes) {
            throw new AssertionError("ranges are not looked for");
        }

        @Override
        public void skipped(Pathname path, Outcome outcome, int errno) {}

        @Override
        public void unsupported(Pathname path, long type) {}

        @Override
        public void progress(long doneBytes, long totalBytes) {}

        @Override
        public void separated(int count) {}

        @Override
        public void problem(Pathname path, String what, int errno) {
            problems.add(path + ": " + what);
        }

        @Override
        public void finished(DedupeTotals totals) {
            files.add(totals.get(Count.FILES));
            hardLinks.add(totals.get(Count.HARD_LINKS));
        }
    }
}
