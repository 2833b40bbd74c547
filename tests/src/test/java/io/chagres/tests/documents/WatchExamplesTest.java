package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.FileId;
import io.chagres.watch.FileIdentity;
import io.chagres.watch.WatchListener;
import io.chagres.watch.WatchedDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/WATCH.md, compiled and run. {@link DocumentExamplesTest} finds them here. */
class WatchExamplesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path elsewhere;

    /** The output of the first example. */
    private static final class Printed extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        synchronized void println(String line) {
            add(line);
        }

        synchronized boolean has(String part) {
            return stream().anyMatch(line -> line.contains(part));
        }
    }

    private static final Printed OUT = new Printed();

    record Changes(Consumer<String> out) implements WatchListener {
        @Override
        public void appeared(Dentry d) {
            out.accept("+ " + d.path());
        }

        @Override
        public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
            out.accept("> " + fromParent.path().resolve(fromName) + " " + d.path());
        }

        @Override
        public void vanished(Dentry d, boolean movedOut) {
            out.accept("- " + d.path());
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            out.accept("! " + path + ": " + what + (errno == 0 ? "" : ": " + Errno.message(errno)));
        }
    }

    interface Loop {
        static void follow(DirectoryWatcher watcher, WatchListener changes, BooleanSupplier over) throws IOException {
            while (!over.getAsBoolean()) {
                watcher.poll(-1, changes);
            }
        }
    }

    interface Roots {
        static DirectoryWatcher open(Pathname srv, Pathname logs) throws IOException {
            return DirectoryWatcher.builder(srv, logs.resolve("**/*.log"))
                    .exclude(Glob.of("*.tmp")::matches)
                    .clock(InstantSource.system())
                    .open();
        }
    }

    private DirectoryWatcher open() throws IOException {
        Path logs = Files.createDirectories(elsewhere.resolve("log/app"));
        return Roots.open(Pathname.of(temp.toString()), Pathname.of(logs.toString()));
    }

    @Test
    void tenLines() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                DirectoryWatcher watcher = open()) {
            Future<?> running = thread.submit(() -> {
                try {
                    Loop.follow(watcher, new Changes(OUT::println), stopped::get);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Files.createFile(temp.resolve("x.tmp"));
            Files.createFile(temp.resolve("one"));
            Await.until("appeared", () -> OUT.has("+ " + temp.resolve("one")));
            Files.move(temp.resolve("one"), temp.resolve("two"));
            Await.until("renamed", () -> OUT.has("> " + temp.resolve("one") + " " + temp.resolve("two")));
            Files.delete(temp.resolve("two"));
            Await.until("vanished", () -> OUT.has("- " + temp.resolve("two")));
            stopped.set(true);
            watcher.wakeup();
            running.get();
        }
        assertThat(OUT.has("x.tmp")).isFalse();
        assertThat(OUT.has("! ")).isFalse();
    }

    /** Counts lines per file, and finds its counter without a map. */
    static class Counters implements WatchListener {
        @Override
        public void appeared(Dentry d) {
            if (d.type() == Directory.DT_REG) {
                d.attach(new int[1]);
            }
        }

        @Override
        public void modified(Dentry d) {
            if (d.attachment() instanceof int[] count) {
                count[0]++;
            }
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            throw new AssertionError(path + ": " + what);
        }
    }

    interface Steps {
        static void settle(DirectoryWatcher watcher, WatchListener counters) throws IOException {
            do {
                watcher.poll(0, counters);
            } while (!watcher.settled());
        }
    }

    @Test
    void stepByStep() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        List<Dentry> closed = new ArrayList<>();
        try (DirectoryWatcher watcher = open()) {
            Counters counters = new Counters() {
                @Override
                public void closed(Dentry d) {
                    closed.add(d);
                }
            };
            Steps.settle(watcher, counters);
            Files.writeString(file, "text");
            Await.until("closed", () -> {
                try {
                    watcher.poll(0, counters);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return !closed.isEmpty();
            });
        }
        // to empty it and to write it are two events, which the kernel merges unless one was read between them
        assertThat(((int[]) closed.getFirst().attachment())[0]).isBetween(1, 2);
    }

    interface Identities {
        static FileIdentity identity(Pathname path) throws IOException {
            try (Fd fd = Fd.open(path, Fd.O_RDONLY, 0);
                    FileId id = new FileId()) {
                int result = id.read(fd.value());
                if (result < 0) {
                    throw new IOException(path + ": " + Errno.message(-result));
                }
                return id.identity();
            }
        }
    }

    static class Sizes implements WatchListener {
        private final Set<Dentry> changed = new LinkedHashSet<>();

        void step(DirectoryWatcher watcher) throws IOException {
            watcher.poll(-1, this);
            if (watcher.settled()) {
                changed.removeIf(this::isTakenIn);
            }
        }

        private boolean isTakenIn(Dentry d) {
            int opened = d.tryOpen(Fd.O_RDONLY);
            if (opened == -Errno.ESTALE) {
                return false; // an event will say why
            }
            if (opened >= 0) {
                try (Fd file = Fd.ofValue(opened)) {
                    takeIn(d, file);
                }
            }
            return true;
        }

        void takeIn(Dentry d, Fd file) {}

        @Override
        public void appeared(Dentry d) {
            changed.add(d);
        }

        @Override
        public void modified(Dentry d) {
            changed.add(d);
        }

        @Override
        public void vanished(Dentry d, boolean movedOut) {
            changed.remove(d);
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            throw new AssertionError(path + ": " + what);
        }
    }

    @Test
    void whenItHasSettled() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "text");
        List<Pathname> taken = new ArrayList<>();
        Sizes sizes = new Sizes() {
            @Override
            void takeIn(Dentry d, Fd opened) {
                taken.add(d.path());
            }
        };
        try (DirectoryWatcher watcher = open()) {
            do {
                sizes.step(watcher);
            } while (!watcher.settled());
        }
        assertThat(taken).contains(Pathname.of(temp.toString()), Pathname.of(file.toString()));
    }

    @Test
    void whichFileIsThis() throws IOException {
        Path one = Files.createFile(temp.resolve("one"));
        FileIdentity before = Identities.identity(Pathname.of(one.toString()));
        Path two = Files.move(one, temp.resolve("two"));
        assertThat(Identities.identity(Pathname.of(two.toString()))).isEqualTo(before);
        Files.delete(two);
        Files.createFile(two);
        assertThat(Identities.identity(Pathname.of(two.toString()))).isNotEqualTo(before);
    }
}
