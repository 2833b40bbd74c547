package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A look at a name shows what is there now, and an event what was: what was read before is older. */
@Timeout(120)
class SettledTest {
    private final List<String> told = new ArrayList<>();
    private Runnable atFirst = () -> {};

    private final WatchListener listener = new WatchListener() {
        @Override
        public void appeared(Dentry d) {
            told.add("appeared " + d.name());
            if (d.name().toString().equals("first")) {
                atFirst.run();
            }
        }

        @Override
        public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
            told.add("renamed " + fromName + " " + d.name());
        }

        @Override
        public void vanished(Dentry d, boolean movedOut) {
            told.add("vanished " + d.name());
        }

        @Override
        public void missed(WatchedDirectory directory) {
            told.add("missed");
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            throw new AssertionError(path + ": " + what);
        }
    };

    private static DirectoryWatcher open(Path top) throws IOException {
        return DirectoryWatcher.builder(Pathname.of(top.toString()))
                .clock(InstantSource.system())
                .open();
    }

    private void settle(DirectoryWatcher watcher) throws IOException {
        do {
            watcher.poll(-1, listener); // waits for events, and not for what is there already
        } while (!watcher.settled());
    }

    @Test
    void whatALookWasTooEarlyForIsToldBefore(@TempDir Path top) throws IOException {
        Path name = top.resolve("name");
        try (DirectoryWatcher watcher = open(top)) {
            settle(watcher);
            told.clear();
            atFirst = () -> {
                try {
                    Files.delete(name);
                    Files.createSymbolicLink(name, top);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
            Files.createFile(top.resolve("first"));
            Files.createFile(name);
            settle(watcher);
            assertThat(told).containsExactly("appeared first", "appeared name", "vanished name", "appeared name");
        }
    }

    @Test
    void attributesThatWereChangedByANameThatPassedAreMissed(@TempDir Path top) throws IOException {
        Path kept = Files.createFile(top.resolve("kept"));
        Path other = Files.createFile(top.resolve("other"));
        Path passing = top.resolve("passing");
        try (DirectoryWatcher watcher = open(top)) {
            settle(watcher);
            told.clear();
            Files.createLink(passing, kept);
            Files.setPosixFilePermissions(passing, PosixFilePermissions.fromString("rwx------"));
            Files.move(other, passing, StandardCopyOption.ATOMIC_MOVE);
            Files.delete(passing);
            settle(watcher);
            assertThat(told).containsExactly("missed", "missed", "renamed other passing", "vanished passing");
        }
    }
}
