package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchListener;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A directory is renamed between the event of a name in it and the look at that name. */
@Tag("long")
class RenamedAboveTest {
    @TempDir
    Path temp;

    /** What is made in the directory before it is renamed. */
    enum Kind {
        FILE {
            @Override
            void make(Path at, String text) throws IOException {
                Files.writeString(at, text);
            }
        },
        DIRECTORY {
            @Override
            void make(Path at, String text) throws IOException {
                Files.createDirectory(at);
            }
        },
        LINK {
            @Override
            void make(Path at, String text) throws IOException {
                Files.createSymbolicLink(at, Path.of(text));
            }
        };

        abstract void make(Path at, String text) throws IOException;
    }

    private interface Race {
        void run() throws IOException;
    }

    /** Runs something as soon as a name appears, before anybody looks at it. */
    private static void onceAppears(Shipper shipper, String name, Race race) {
        WatchListener names = shipper.hears;
        boolean[] done = {false};
        shipper.hears = (WatchListener) Proxy.newProxyInstance(
                RenamedAboveTest.class.getClassLoader(),
                new Class<?>[] {WatchListener.class},
                (proxy, method, given) -> {
                    boolean appears = method.getName().equals("appeared")
                            && ((Dentry) given[0]).name().equals(Pathname.of(name));
                    if (appears && !done[0]) {
                        done[0] = true;
                        race.run();
                    }
                    try {
                        return method.invoke(names, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static NameTree.Entry entry(ShippedTree shipped, String name) throws IOException {
        return Objects.requireNonNull(
                shipped.load().names().find(Pathname.of(shipped.file(name).toString())), name);
    }

    @ParameterizedTest
    @EnumSource
    void aNameIsFoundWhereItsDirectoryIsNow(Kind kind) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Files.createDirectory(shipped.file("b"));
            Shipper shipper = shipped.settle().shipper();
            onceAppears(shipper, "l", () -> Files.move(shipped.file("b"), shipped.file("a")));
            kind.make(shipped.file("b/l"), "right");
            assertThat(shipped.flush().riskBytes()).isZero();
            assertThat(entry(shipped, "a/l").kind()).isEqualTo(entryKind(kind));
            shipped.drain();
        }
    }

    private static Object entryKind(Kind kind) {
        return switch (kind) {
            case FILE -> LogRecord.Kind.FILE;
            case DIRECTORY -> LogRecord.Kind.DIRECTORY;
            case LINK -> LogRecord.Kind.SYMLINK;
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"FILE", "LINK"})
    void anotherNameOfTheSamePathIsNotTakenForIt(Kind kind) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Files.createDirectory(shipped.file("b"));
            Shipper shipper = shipped.settle().shipper();
            onceAppears(shipper, "l", () -> {
                Files.move(shipped.file("b"), shipped.file("a"));
                Files.createDirectory(shipped.file("b"));
                kind.make(shipped.file("b/l"), "other");
            });
            kind.make(shipped.file("b/l"), "right");
            assertThat(shipped.flush().riskBytes()).isZero();
            if (kind == Kind.FILE) {
                assertThat(shipped.archived("a/l")).asString().isEqualTo("right");
                assertThat(shipped.archived("b/l")).asString().isEqualTo("other");
            } else {
                assertThat(entry(shipped, "a/l").target()).hasToString("right");
                assertThat(entry(shipped, "b/l").target()).hasToString("other");
            }
            shipped.drain();
        }
    }

    /** As somebody would who may write into the tree, and wants what only the shipper may read. */
    @Test
    void aLinkInItsPlaceLeadsToNothing() throws IOException {
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("l"), "a secret");
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Files.createDirectory(shipped.file("b"));
            Shipper shipper = shipped.settle().shipper();
            onceAppears(shipper, "l", () -> {
                Files.move(shipped.file("b"), shipped.file("a"));
                Files.createSymbolicLink(shipped.file("b"), outside);
            });
            Files.writeString(shipped.file("b/l"), "own");
            assertThat(shipped.flush().riskBytes()).isZero();
            assertThat(shipped.archived("a/l")).asString().isEqualTo("own");
            for (FileVersion version : shipped.load().versions()) {
                assertThat(shipped.content(version)).asString().isEqualTo("own");
            }
            shipped.drain();
        }
    }

    @Test
    void whatIsGoneWithItsDirectoryIsNotWaitedFor() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp)) {
            Files.createDirectory(shipped.file("b"));
            Shipper shipper = shipped.settle().shipper();
            onceAppears(shipper, "l", () -> {
                Files.delete(shipped.file("b/l"));
                Files.delete(shipped.file("b"));
            });
            Files.createSymbolicLink(shipped.file("b/l"), Path.of("/etc"));
            assertThat(shipped.flush().riskBytes()).isZero();
            shipped.drain();
        }
    }
}
