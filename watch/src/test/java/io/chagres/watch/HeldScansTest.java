package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A listener that cannot take more names lets directories wait, and hears of events all the same. */
class HeldScansTest {
    private final List<String> told = new ArrayList<>();

    private final WatchListener listener = new WatchListener() {
        @Override
        public void appeared(Dentry d) {
            told.add(d.name().toString());
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            throw new AssertionError(path + ": " + what);
        }
    };

    private void until(DirectoryWatcher watcher, String name) {
        Await.until(name + " is told", () -> {
            try {
                watcher.poll(5, listener);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return told.contains(name);
        });
    }

    @Test
    void aNewDirectoryWaitsAndANewFileDoesNot(@TempDir Path top) throws IOException {
        try (DirectoryWatcher watcher = DirectoryWatcher.builder(Pathname.of(top.toString()))
                .clock(InstantSource.system())
                .coalesceMs(0)
                .open()) {
            Files.createFile(top.resolve("first"));
            until(watcher, "first");
            while (!watcher.settled()) {
                watcher.poll(5, listener);
            }
            watcher.holdScans(true);
            Files.createFile(Files.createDirectory(top.resolve("directory")).resolve("inner"));
            Files.createFile(top.resolve("second"));
            until(watcher, "second");
            watcher.poll(0, listener);
            watcher.poll(0, listener);
            assertThat(told).contains("directory").doesNotContain("inner");
            assertThat(watcher.scanning()).isTrue();
            watcher.holdScans(false);
            until(watcher, "inner");
        }
    }
}
