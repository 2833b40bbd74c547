package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A watcher on a temporary directory, driven step by step. */
final class WatchFixture implements AutoCloseable {
    private static final int STEPS = 1000;
    private static final int QUIET_STEPS = 3;
    /** Longer than a half of a rename is waited for. */
    private static final int QUIET_MS = 25;

    final Path top;
    final ModelListener heard;
    final DirectoryWatcher watcher;

    WatchFixture(Path top, String... roots) throws IOException {
        this(top, builder -> builder.coalesceMs(0), roots);
    }

    WatchFixture(Path top, UnaryOperator<DirectoryWatcher.Builder> options, String... roots) throws IOException {
        this.top = top;
        heard = new ModelListener(top + "/");
        Pathname[] paths = Stream.of(roots)
                .map(each -> Pathname.of(each.isEmpty() ? top.toString() : top + "/" + each))
                .toArray(Pathname[]::new);
        watcher = options.apply(DirectoryWatcher.builder(paths).clock(java.time.Clock.systemUTC()))
                .open();
        settle();
        heard.log.clear();
    }

    /** Steps until nothing is left to tell. */
    void settle() {
        step("settled", () -> false, true);
    }

    /** Steps until a condition holds. */
    void until(String what, BooleanSupplier condition) {
        step(what, condition, false);
    }

    private void step(String what, BooleanSupplier condition, boolean quietIsEnough) {
        Await.until(what, () -> {
            try {
                int quiet = 0;
                for (int i = 0; i < STEPS && quiet < QUIET_STEPS && !condition.getAsBoolean(); i++) {
                    quiet = watcher.poll(quiet * QUIET_MS, heard) == 0 && !watcher.scanning() ? quiet + 1 : 0;
                }
                return (quietIsEnough && quiet == QUIET_STEPS) || condition.getAsBoolean();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Steps until this was heard. */
    void hears(String line) {
        until("heard: " + line + " in " + heard.log, () -> heard.log.contains(line));
    }

    /** Returns what was heard since the last call, when all has been reported. */
    List<String> log() {
        settle();
        List<String> log = List.copyOf(heard.log);
        heard.log.clear();
        return log;
    }

    /** Compares all that is known with a walk: names, types and inode numbers. */
    void matchesWalk(Path from) throws IOException {
        Map<String, String> there = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(from)) {
            for (Path each : (Iterable<Path>) walk::iterator) {
                Object ino = Files.getAttribute(each, "unix:ino", LinkOption.NOFOLLOW_LINKS);
                there.put(each.toString(), ino + (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS) ? " dir" : ""));
            }
        }
        Map<String, String> known = new TreeMap<>();
        heard.names.forEach((path, d) -> {
            assertThat(d.path().toString()).isEqualTo(path);
            known.put(path, d.ino() + (d instanceof WatchedDirectory ? " dir" : ""));
        });
        Map<String, String> wrong = new TreeMap<>();
        known.forEach((path, told) -> {
            if (!told.equals(there.get(path))) {
                wrong.put(path, "told " + told + ", is " + there.get(path));
            }
        });
        there.forEach((path, is) -> {
            if (!known.containsKey(path)) {
                wrong.put(path, "never told, is " + is);
            }
        });
        assertThat(wrong).isEmpty();
    }

    /** Returns the dentry of a path that must be known. */
    Dentry known(String name) {
        return Objects.requireNonNull(heard.names.get(top + "/" + name));
    }

    @Override
    public void close() {
        watcher.close();
    }
}
