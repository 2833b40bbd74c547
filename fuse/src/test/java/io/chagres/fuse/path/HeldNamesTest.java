package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Await;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads that wait for each other. */
@Tag("long")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldNamesTest {
    private static final int THREADS = 4;
    private static final int STEPS = Share.count(50_000);
    private static final String[] NAMES = {"a", "b", "c"};

    private final PathTable table = new PathTable();

    /** Takes names on a thread of its own, until it may continue. */
    private final class Waiting {
        private final HeldNames names = new HeldNames(table);
        private final Thread thread;
        private volatile boolean holds;

        private Waiting(Taking taking) {
            thread = Thread.ofPlatform().start(() -> {
                try {
                    taking.take(names);
                    holds = true;
                } catch (ErrnoException e) {
                    throw new AssertionError(e);
                }
            });
            Await.until("it holds or waits", () -> holds || thread.getState() == Thread.State.WAITING);
        }

        private void checkHolds() {
            Await.until("it holds its names", () -> holds);
            names.close();
        }
    }

    /** How names are taken. */
    @FunctionalInterface
    private interface Taking {
        void take(HeldNames names) throws ErrnoException;
    }

    @Test
    void aChangeWaitsForWhoUsesTheNameAndForNobodyElse() throws ErrnoException {
        long directory = table.lookedUp(1, "directory");
        long file = table.lookedUp(directory, "file");
        HeldNames user = new HeldNames(table);
        assertThat(user.path(file)).isEqualTo("/directory/file");
        try (HeldNames other = new HeldNames(table)) {
            other.change(directory, "a", directory, "b");
        }
        Waiting change = new Waiting(names -> names.change(directory, "file"));
        Waiting move = new Waiting(names -> names.change(1, "directory", 1, "moved"));
        assertThat(change.holds).isFalse();
        assertThat(move.holds).isFalse();
        user.close();
        // One of both waits for the other.
        Await.until("one goes on", () -> change.holds || move.holds);
        Waiting first = change.holds ? change : move;
        first.checkHolds();
        (first == change ? move : change).checkHolds();
    }

    /** Else a name that is read all the time could never be replaced. */
    @Test
    void whoComesAfterAChangeWaitsForIt() throws ErrnoException {
        long file = table.lookedUp(1, "file");
        HeldNames user = new HeldNames(table);
        user.use(file);
        Waiting change = new Waiting(names -> names.change(1, "file"));
        Waiting later = new Waiting(names -> names.use(file));
        assertThat(change.holds).isFalse();
        assertThat(later.holds).isFalse();
        user.close();
        Await.until("the change goes on", () -> change.holds);
        assertThat(later.holds).isFalse();
        change.checkHolds();
        later.checkHolds();
    }

    @Test
    void whoWaitedFindsWhatTheNameHasBecome() throws ErrnoException {
        long old = table.lookedUp(1, "file");
        long next = table.lookedUp(1, "next");
        HeldNames change = new HeldNames(table);
        change.change(1, "next", 1, "file");
        Waiting byNode = new Waiting(names -> assertThat(names.path(old)).isEqualTo("/moved"));
        table.renamed(1, "next", 1, "file");
        table.renamed(1, "file", 1, "moved");
        change.close();
        byNode.checkHolds();
        assertThat(table.path(next)).isEqualTo("/moved");
    }

    @Test
    void aNodeWithoutANameIsUsedTooUntilNobodyLooks() throws ErrnoException {
        long file = table.lookedUp(1, "file");
        table.unlinked(1, "file");
        HeldNames user = new HeldNames(table);
        user.use(file);
        Waiting release = new Waiting(names -> names.useAlone(file));
        assertThat(release.holds).isFalse();
        user.close();
        release.checkHolds();
    }

    @Test
    void takesNamesOnce() {
        try (HeldNames names = new HeldNames(table)) {
            names.use(1, "a");
            assertThatIllegalStateException().isThrownBy(() -> names.use(1, "b"));
        }
    }

    @Test
    void aSignalWaitsToo() throws ErrnoException, InterruptedException {
        HeldNames user = new HeldNames(table);
        user.use(1, "a");
        boolean[] interrupted = {false};
        Waiting change = new Waiting(names -> {
            names.change(1, "a");
            interrupted[0] = Thread.currentThread().isInterrupted();
        });
        change.thread.interrupt();
        Await.until("it waits on", () -> change.thread.getState() == Thread.State.WAITING);
        user.close();
        change.checkHolds();
        change.thread.join();
        assertThat(interrupted[0]).isTrue();
    }

    /** Names that a thread holds keep their paths, and threads never wait for each other in a circle. */
    @Test
    void namesStayWhileTheyAreHeld() throws InterruptedException, ExecutionException {
        long seed = Seeds.next("HeldNamesTest");
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                RandomGenerator random = Seeds.random(seed + i);
                all.add(threads.submit(() -> {
                    for (int step = 0; step < STEPS; step++) {
                        step(random);
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(table.size()).as("nothing is left but the root").isEqualTo(1);
    }

    private void step(RandomGenerator random) throws ErrnoException {
        String above = NAMES[random.nextInt(NAMES.length)];
        String name = NAMES[random.nextInt(NAMES.length)];
        long directory = lookedUp(1, above);
        long file = 0;
        try (HeldNames names = new HeldNames(table)) {
            switch (random.nextInt(6)) {
                case 0 -> {
                    names.change(directory, name, directory, NAMES[random.nextInt(NAMES.length)]);
                    checkStays(directory);
                }
                case 1 -> {
                    String to = NAMES[random.nextInt(NAMES.length)];
                    names.change(1, above, 1, to);
                    if (table.known(1, above) == directory && !to.equals(above)) {
                        table.renamed(1, above, 1, to);
                    }
                }
                case 2 -> {
                    names.use(directory, name);
                    if (!table.pathIfAny(directory).isEmpty()) {
                        file = table.lookedUp(directory, name);
                        checkStays(file);
                    }
                }
                case 3 -> {
                    names.use(directory);
                    checkStays(directory);
                }
                case 4 -> {
                    names.change(1, above);
                    if (table.known(1, above) == directory) {
                        table.unlinked(1, above);
                    }
                }
                default -> names.useAlone(directory);
            }
        } finally {
            table.forget(file, 1);
            table.forget(directory, 1);
        }
    }

    private long lookedUp(long parent, String name) throws ErrnoException {
        try (HeldNames names = new HeldNames(table)) {
            names.use(parent, name);
            return table.lookedUp(parent, name);
        }
    }

    private void checkStays(long node) {
        String path = table.pathIfAny(node);
        Thread.yield();
        assertThat(table.pathIfAny(node)).isEqualTo(path);
    }
}
