package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens in the directory that a root lies in. */
class BesideRootTest {
    @TempDir
    private Path top;

    @BeforeEach
    void followedAndBeside() throws IOException {
        Files.createDirectory(top.resolve("in"));
        Files.writeString(top.resolve("busy"), "x");
    }

    private void append(String name) throws IOException {
        Files.writeString(top.resolve(name), "more", StandardOpenOption.APPEND);
    }

    @Test
    void writesBesideADirectoryWakeNobody() throws IOException {
        try (WatchFixture watch = new WatchFixture(top, "in")) {
            append("busy");
            assertThat(watch.watcher.poll(0, watch.heard)).isZero();
            Files.writeString(top.resolve("in/f"), "x");
            watch.hears("appeared in/f");
        }
    }

    @Test
    void writesIntoAFileThatIsNamedAreTold() throws IOException {
        try (WatchFixture watch = new WatchFixture(top, "in", "busy")) {
            append("busy");
            watch.hears("modified busy");
        }
    }

    @Test
    void writesAreToldAfterAFileHasTheNameOfADirectory() throws IOException {
        try (WatchFixture watch = new WatchFixture(top, "in")) {
            Files.delete(top.resolve("in"));
            Files.writeString(top.resolve("in"), "x");
            watch.hears("appeared in");
            watch.settle();
            watch.heard.log.clear();
            append("in");
            watch.hears("modified in");
        }
    }

    /** It was written before the watch asked for such events. */
    @Test
    void whatWasWrittenMeanwhileIsTold() throws IOException {
        try (WatchFixture watch = new WatchFixture(top, "in", "in/f")) {
            Files.delete(top.resolve("in"));
            Files.writeString(top.resolve("in"), "x");
            watch.hears("appeared in");
            watch.hears("modified in");
        }
    }

    @Test
    void aFileThatIsMovedToTheNameIsTold() throws IOException {
        Files.writeString(top.resolve("in/f"), "x");
        try (WatchFixture watch = new WatchFixture(top, "in", "other")) {
            Files.move(top.resolve("in/f"), top.resolve("other"));
            watch.settle();
            watch.heard.log.clear();
            append("other");
            watch.hears("modified other");
        }
    }
}
