package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Inotify;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which path a watch belongs to, when the kernel knows only the inode. */
class WatchesTest {
    @TempDir
    Path top;

    private static WatchedDirectory directory(@Nullable WatchedDirectory parent, String name) {
        return new WatchedDirectory(parent, name.getBytes(StandardCharsets.UTF_8), 1, Scope.ALL, true);
    }

    private WatchedDirectory below(String name) {
        WatchedDirectory at = directory(null, "/");
        for (Path each : top.resolve(name)) {
            at = directory(at, each.toString());
        }
        return at;
    }

    private static int add(Watches watches, WatchedDirectory directory, Fd fd) {
        try (Statx opened = new Statx()) {
            assertThat(opened.of(fd.value())).isZero();
            return watches.add(directory, fd, opened);
        }
    }

    private Fd open(String name) throws IOException {
        return Fd.open(Pathname.of(top.resolve(name).toString()), Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
    }

    /** It was opened under the other path, between two renames. */
    @Test
    void aDirectoryThatMovedBackIsNoBindMount() throws IOException {
        Files.createDirectory(top.resolve("one"));
        try (Inotify inotify = Inotify.open();
                Watches watches = new Watches(inotify, new ScanQueue())) {
            try (Fd fd = open("one")) {
                assertThat(add(watches, below("one"), fd)).isZero();
            }
            Files.move(top.resolve("one"), top.resolve("other"));
            try (Fd fd = open("other")) {
                Files.move(top.resolve("other"), top.resolve("one"));
                assertThat(add(watches, below("other"), fd)).isEqualTo(-Errno.EAGAIN);
            }
        }
    }

    @Test
    void aDirectoryThatMovedTakesItsWatchAlong() throws IOException {
        Files.createDirectory(top.resolve("one"));
        try (Inotify inotify = Inotify.open();
                Watches watches = new Watches(inotify, new ScanQueue())) {
            WatchedDirectory one = below("one");
            try (Fd fd = open("one")) {
                assertThat(add(watches, one, fd)).isZero();
            }
            Files.move(top.resolve("one"), top.resolve("other"));
            try (Fd fd = open("other")) {
                assertThat(add(watches, below("other"), fd)).isZero();
            }
            assertThat(one.isWatched()).isFalse();
            assertThat(watches.size()).isEqualTo(1);
        }
    }
}
