package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one shipper leaves for the next about files that may change without a trace. */
class StateDirectoryTest {
    private static final long FIRST = 4_000_000_000_000_000_000L;

    @TempDir
    Path temp;

    private @Nullable LongPredicate kept(List<Long> versions, String host, long seq) throws IOException {
        Pathname root = Pathname.of(temp.toString());
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            here.unproven("a1", 7, versions);
        }
        try (StateDirectory next = StateDirectory.open(root, "store", "web1")) {
            return next.unproven(host, seq);
        }
    }

    private static List<Long> versions(int count) {
        return LongStream.range(FIRST, FIRST + count).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, 51, 52, 60, 2000, 50_000})
    void namesEachVersion(int count) throws IOException {
        LongPredicate unproven = Objects.requireNonNull(kept(versions(count), "a1", 7));
        assertThat(versions(count)).allMatch(unproven::test);
        assertThat(unproven.test(FIRST - 1)).isFalse();
        assertThat(unproven.test(FIRST + count)).isFalse();
    }

    @Test
    void takesAllForUnprovenWhereTheyAreTooMany() throws IOException {
        assertThat(Objects.requireNonNull(kept(versions(50_001), "a1", 7)).test(1))
                .isTrue();
    }

    @Test
    void knowsThatThereAreNone() throws IOException {
        assertThat(Objects.requireNonNull(kept(List.of(), "a1", 7)).test(FIRST)).isFalse();
    }

    @Test
    void saysNothingOfAnotherEnd() throws IOException {
        assertThat(kept(versions(3), "a1", 8)).isNull();
        assertThat(kept(versions(3), "b2", 7)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "a1", "a1 7", "a1 7 400", "a1 \n"})
    void saysNothingOfTornBytes(String text) throws IOException {
        kept(versions(3), "a1", 7);
        try (StateDirectory here = StateDirectory.open(Pathname.of(temp.toString()), "store", "web1")) {
            Files.writeString(Path.of(here.path().toString(), "unproven"), text);
            assertThat(here.unproven("a1", 7)).isNull();
        }
    }

    /** A power cut leaves zeros, a bad disk anything. */
    @ParameterizedTest
    @ValueSource(strings = {"\0\0\0\0", "x", "12 y", "1 1 a b c", "99999999999999999999"})
    void tornBytesAreNobodysNumber(String text) throws IOException {
        Pathname root = Pathname.of(temp.toString());
        Path place;
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            place = Path.of(here.path().toString());
        }
        Files.writeString(place.resolve("lock"), text);
        Files.writeString(place.resolve("cut"), text);
        assertThat(RunningShipper.find(root)).isEmpty();
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            assertThat(here.flushes()).isZero();
            Files.writeString(place.resolve("lock"), text);
            assertThat(RunningShipper.find(root))
                    .singleElement()
                    .matches(each -> each.pid() == ProcessHandle.current().pid());
        }
    }

    @Test
    void saysNothingWhereItCannotBeRead() throws IOException {
        try (StateDirectory here = StateDirectory.open(Pathname.of(temp.toString()), "store", "web1")) {
            Path place = Path.of(here.path().toString(), "unproven");
            Files.createDirectory(place);
            assertThat(here.unproven("a1", 7)).isNull();
            Files.delete(place);
            Program.run(List.of("mkfifo", place.toString()));
            assertThat(here.unproven("a1", 7)).isNull();
        }
    }

    /** As of a shipper in a container, which has another number here: no signal may go to the process that has its. */
    @Test
    void findsTheShipperThatWroteTheNumberOfAnotherProcess() throws Exception {
        Pathname root = Pathname.of(temp.toString());
        Process other = new ProcessBuilder("sleep", "1000").start();
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            Files.writeString(Path.of(here.path().toString(), "lock"), other.pid() + "\n");
            assertThat(RunningShipper.find(root))
                    .singleElement()
                    .extracting(RunningShipper::pid)
                    .isEqualTo(ProcessHandle.current().pid());
            assertThatThrownBy(() -> StateDirectory.open(root, "store", "web1"))
                    .isInstanceOfSatisfying(LockedException.class, e -> assertThat(e.pid())
                            .isEqualTo(ProcessHandle.current().pid()));
        } finally {
            other.destroy();
        }
    }

    /** A disk that failed is read-only from then on. */
    @Test
    @Tag("it")
    void findsTheShipperWhereNobodyMayWrite() throws Exception {
        Requires.root();
        Path writable = Files.createDirectory(temp.resolve("writable"));
        Path seen = Files.createDirectory(temp.resolve("seen"));
        try (StateDirectory _ = StateDirectory.open(Pathname.of(writable.toString()), "store", "web1")) {
            Program.ok("mount", "--bind", "-o", "ro", writable.toString(), seen.toString());
            try {
                assertThat(RunningShipper.find(Pathname.of(seen.toString())))
                        .singleElement()
                        .extracting(RunningShipper::pid)
                        .isEqualTo(ProcessHandle.current().pid());
            } finally {
                Program.ok("umount", seen.toString());
            }
        }
    }
}
