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
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
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

    /** What the first example prints. */
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

    static final class Changes implements WatchListener {
        @Override
        public void appeared(Dentry d) {
            OUT.println("+ " + d.path());
        }

        @Override
        public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
            OUT.println("> " + fromParent.path().resolve(fromName) + " " + d.path());
        }

        @Override
        public void vanished(Dentry d, boolean movedOut) {
            OUT.println("- " + d.path());
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            OUT.println("! " + path + ": " + what + (errno == 0 ? "" : ": " + Errno.message(errno)));
        }
    }

    static void follow(DirectoryWatcher watcher, BooleanSupplier stopped) throws IOException {
        Changes changes = new Changes();
        while (!stopped.getAsBoolean()) {
            watcher.poll(-1, changes);
        }
    }

    private DirectoryWatcher open() throws IOException {
        Pathname srv = Pathname.of(temp.toString());
        Path logs = Files.createDirectories(elsewhere.resolve("log/app"));
        DirectoryWatcher watcher = DirectoryWatcher.builder(srv, Pathname.of(logs + "/**/*.log"))
                .exclude(Glob.of("*.tmp")::matches)
                .clock(InstantSource.system())
                .open();
        return watcher;
    }

    @Test
    void tenLines() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                DirectoryWatcher watcher = open()) {
            Future<?> running = thread.submit(() -> {
                try {
                    follow(watcher, stopped::get);
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
            do {
                watcher.poll(0, counters);
            } while (watcher.scanning());
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
        assertThat((int[]) closed.getFirst().attachment()).containsExactly(1);
    }

    private static FileIdentity identity(Pathname path) throws IOException {
        try (Fd fd = Fd.open(path, Fd.O_RDONLY, 0);
                FileId id = new FileId()) {
            int result = id.read(fd.value());
            if (result < 0) {
                throw new IOException(path + ": " + Errno.message(-result));
            }
            return id.identity();
        }
    }

    @Test
    void whichFileIsThis() throws IOException {
        Path one = Files.createFile(temp.resolve("one"));
        FileIdentity before = identity(Pathname.of(one.toString()));
        Path two = Files.move(one, temp.resolve("two"));
        assertThat(identity(Pathname.of(two.toString()))).isEqualTo(before);
        Files.delete(two);
        Files.createFile(two);
        assertThat(identity(Pathname.of(two.toString()))).isNotEqualTo(before);
    }
}
