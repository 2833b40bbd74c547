package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two names are exchanged, and one of them is renamed, replaced or removed at once. The kernel reports an exchange as
 * two renames, and the second takes away what the first has brought.
 */
@Tag("long")
class ExchangeTest {
    private static final int RENAME_WHITEOUT = 4;

    private final Path top;
    private final Directory from;

    ExchangeTest(@TempDir Path top) throws IOException {
        this.top = top;
        from = Directory.open(Pathname.of(top.toString()));
    }

    @BeforeEach
    void threeDirectories() throws IOException {
        for (String each : new String[] {"in/p", "in/q", "in/r", "out"}) {
            Files.createDirectories(top.resolve(each));
        }
        for (String each : new String[] {"in/p/x", "in/q/y", "in/r/w", "out/o"}) {
            Files.createFile(top.resolve(each));
        }
        for (String each : new String[] {"in/p/dx", "in/q/dy", "out/do"}) {
            Files.createDirectories(top.resolve(each + "/below"));
            Files.createFile(top.resolve(each + "/below/f"));
        }
    }

    @AfterEach
    void close() {
        from.close();
    }

    private void rename(String one, String other, int flags) throws IOException {
        from.rename(Pathname.of(one), from, Pathname.of(other), flags);
    }

    private void exchange(String one, String other) throws IOException {
        rename(one, other, Directory.RENAME_EXCHANGE);
    }

    /** Changes that somebody makes without a pause. */
    @FunctionalInterface
    private interface Changes {
        void make() throws IOException;
    }

    private void areTold(Changes changes) throws IOException {
        try (WatchFixture watch = new WatchFixture(top, "in")) {
            changes.make();
            watch.settle();
            watch.matchesWalk(top.resolve("in"));
            Files.writeString(top.resolve("in/q/last"), "x");
            watch.hears("appeared in/q/last");
            watch.matchesWalk(top.resolve("in"));
        }
        Files.delete(top.resolve("in/q/last"));
    }

    @Test
    void oneIsRenamed() throws IOException {
        areTold(() -> {
            exchange("in/p/x", "in/q/y");
            rename("in/p/x", "in/r/z", 0);
        });
    }

    @Test
    void theOtherIsRenamed() throws IOException {
        areTold(() -> {
            exchange("in/p/x", "in/q/y");
            rename("in/q/y", "in/r/z", 0);
        });
    }

    @Test
    void oneReplacesTheOther() throws IOException {
        areTold(() -> {
            exchange("in/p/x", "in/q/y");
            rename("in/p/x", "in/q/y", 0);
        });
    }

    @Test
    void oneIsRemoved() throws IOException {
        areTold(() -> {
            exchange("in/p/x", "in/q/y");
            Files.delete(top.resolve("in/p/x"));
        });
    }

    @Test
    void directoryIsRenamed() throws IOException {
        try (WatchFixture watch = new WatchFixture(top, "in")) {
            exchange("in/p/dx", "in/q/dy");
            rename("in/p/dx", "in/r/z", 0);
            watch.settle();
            watch.matchesWalk(top.resolve("in"));
            Files.createFile(top.resolve("in/q/dy/below/later"));
            watch.hears("appeared in/q/dy/below/later");
            Files.createFile(top.resolve("in/r/z/below/later"));
            watch.hears("appeared in/r/z/below/later");
        }
    }

    @Test
    void fileAndDirectoryChangePlacesAndMoveOn() throws IOException {
        areTold(() -> {
            exchange("in/p/dx", "in/q/y");
            rename("in/q/y", "in/r/z", 0);
        });
        areTold(() -> {
            exchange("in/p/dx", "in/r/z");
            rename("in/p/dx/below", "in/q/below", 0);
            rename("in/r/z", "in/q/y", 0);
        });
    }

    @Test
    void exchangesFollowOneAnother() throws IOException {
        areTold(() -> {
            exchange("in/p/x", "in/q/y");
            exchange("in/q/y", "in/r/w");
            exchange("in/p/dx", "in/q/dy");
            exchange("in/p/x", "in/q/dy");
            rename("in/p", "in/s", 0);
            exchange("in/q", "in/s");
        });
    }

    @Test
    void whatIsExchangedWithWhatIsNotWatchedIsTold() throws IOException {
        areTold(() -> exchange("out/o", "in/p/x"));
        areTold(() -> exchange("in/p/x", "out/o"));
        areTold(() -> exchange("out/do", "in/p/dx"));
        areTold(() -> exchange("in/p/dx", "out/o"));
    }

    @Test
    void directoriesAboveChangePlaces() throws IOException {
        areTold(() -> {
            Files.createFile(top.resolve("in/p/dx/new"));
            exchange("in/p", "in/q");
            rename("in/q/dx/new", "in/r/new", 0);
            rename("in/p", "in/t", 0);
        });
    }

    @Test
    void linksOfOneFileChangePlaces() throws IOException {
        Files.createLink(top.resolve("in/r/x"), top.resolve("in/p/x"));
        areTold(() -> {
            exchange("in/p/x", "in/r/x");
            exchange("in/p/x", "in/q/y");
            rename("in/r/x", "in/q/y", 0);
            rename("in/p/x", "in/r/y", 0);
        });
    }

    @Test
    void whiteoutIsTold() throws IOException {
        areTold(() -> rename("in/p/x", "in/r/z", RENAME_WHITEOUT));
    }
}
