package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rename may stop between its two events while others make more: the second half then comes late. */
class LateRenameTest {
    private static final int COOKIE = 7;

    private final List<Dentry> appeared = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    private final WatchListener listener = new WatchListener() {
        @Override
        public void appeared(Dentry d) {
            appeared.add(d);
        }

        @Override
        public void vanished(Dentry d, boolean movedOut) {
            told.add(d.name() + " vanished");
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            told.add(path + ": " + what);
        }

        @Override
        public void departed(@Nullable Dentry known, Pathname from, Pathname to) {
            told.add(from.name() + " departed to " + to.name());
        }
    };

    @Test
    void aNameOutsideThePatternIsTold(@TempDir Path temp) throws IOException {
        Path log = Files.writeString(temp.resolve("app.log"), "line");
        try (DirectoryWatcher watcher = DirectoryWatcher.builder(Pathname.of(log.toString()))
                .clock(InstantSource.system())
                .open()) {
            Await.until("the file appears", () -> {
                try {
                    watcher.poll(0, listener);
                    return !watcher.scanning() && !appeared.isEmpty();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Dentry file = appeared.getLast();
            WatchedDirectory directory = file.directory();
            watcher.renames.movedFrom(directory, file, COOKIE, 1, 0);
            watcher.renames.expireReadsBefore(2);
            assertThat(told).containsExactly("app.log vanished");
            watcher.renames.movedTo(directory, "app.log.1".getBytes(StandardCharsets.UTF_8), COOKIE + 1);
            assertThat(told).hasSize(1); // somebody else's
            watcher.renames.movedTo(directory, "app.log.1".getBytes(StandardCharsets.UTF_8), COOKIE);
            assertThat(told).containsExactly("app.log vanished", "app.log departed to app.log.1");
        }
    }
}
