package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Machine;
import io.chagres.ship.file.Tail;
import io.chagres.testkit.Await;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More files than may be open at once. */
@Tag("long")
@Order(1)
class TailDescriptorsTest {
    private static final int FILES = 20;

    @TempDir
    Path temp;

    private static List<Path> files(ShippedTree shipped) throws IOException {
        return files(shipped, FILES);
    }

    private static List<Path> files(ShippedTree shipped, int count) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(shipped.file("d" + i).resolve("f" + i));
            Files.createDirectory(files.getLast().getParent());
            append(files.getLast(), random(1000, i));
        }
        shipped.settle();
        return files;
    }

    @Test
    void whatIsRemovedWhileItIsClosedIsNotLostSilently() throws IOException {
        areShippedOrTold(files -> {
            for (Path file : files) {
                append(file, random(10, 99));
                Files.delete(file);
            }
        });
    }

    /** No event says that there are bytes: only the names are gone. */
    @Test
    void whatIsRemovedWhileEventsAreLostIsNotLostSilently() throws IOException {
        long most = Long.parseLong(Machine.read("/proc/sys/fs/inotify/max_queued_events"));
        areShippedOrTold(files -> {
            Path noise = files.getFirst().resolveSibling("noise");
            for (long i = 0; i <= most / 2; i++) {
                Files.createFile(noise);
                Files.delete(noise);
            }
            for (Path file : files) {
                append(file, random(10, 99));
                Files.delete(file);
            }
        });
    }

    /** Exchanges come as renames over the second name, whose file is then written by the first. */
    @Test
    void whatIsExchangedAndRemovedWhileItIsClosedIsNotLostSilently() throws IOException {
        areShippedOrTold(files -> {
            for (int i = 0; i < FILES; i += 2) {
                ModelChanges.exchange(files.get(i), files.get(i + 1));
                for (Path file : files.subList(i, i + 2)) {
                    append(file, random(10, 99));
                    Files.delete(file);
                }
            }
        });
    }

    /** Events name the first file for what the second one gets by its new name, which moves on. */
    @Test
    void whatIsExchangedAndMovesOnIsNamedAsItWasCalledLast() throws IOException {
        List<String> told = areShippedOrTold(files -> {
            for (int i = 0; i < FILES; i += 2) {
                ModelChanges.exchange(files.get(i), files.get(i + 1));
                append(files.get(i), random(10, 99));
                append(files.get(i + 1), random(10, 99));
                Path next = files.get(i).resolveSibling("next");
                Files.move(files.get(i), next);
                Files.delete(next);
                Files.delete(files.get(i + 1));
            }
        });
        assertThat(told).allMatch(each -> each.contains("/next was ") || each.matches(".*/f[0-9]*[13579] was .*"));
    }

    /** No event tells what the first file gets by its new name: that counts as gone until it is looked at. */
    @Test
    void whatTheOtherOneGotIsNotLostSilently() throws IOException {
        areShippedOrTold(files -> {
            for (int i = 0; i < FILES; i += 2) {
                append(files.get(i + 1), random(10, 99));
                ModelChanges.exchange(files.get(i), files.get(i + 1));
                append(files.get(i + 1), random(10, 99));
                Files.delete(files.get(i));
                Files.delete(files.get(i + 1));
            }
        });
    }

    @Test
    void whatGoesWithAnExchangedDirectoryIsNotLostSilently() throws IOException {
        areShippedOrTold(files -> {
            for (int i = 0; i < FILES; i += 2) {
                Path one = files.get(i).getParent();
                Path other = files.get(i + 1).getParent();
                ModelChanges.exchange(one, other);
                for (Path file : List.of(
                        one.resolve(files.get(i + 1).getFileName()),
                        other.resolve(files.get(i).getFileName()))) {
                    append(file, random(10, 99));
                    Files.delete(file);
                }
            }
        });
    }

    /** The second rename comes with a later step: a plain rename there and back is told as an exchange is. */
    @Test
    void whatWasReplacedWaitsForTheSecondHalfOfAnExchange() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp, 4)) {
            ModelClock clock = new ModelClock();
            shipped.clock = clock;
            List<Path> files = new ArrayList<>();
            for (int i = 0; i < FILES; i++) {
                files.add(shipped.file("f" + i));
                append(files.getLast(), random(1000, i));
            }
            Shipper running = shipped.shipper();
            for (int i = 0; i < 100; i++) {
                clock.advance(250);
                running.doWork(0);
            }
            for (int i = 0; i < FILES; i += 2) {
                Files.move(files.get(i), files.get(i + 1), StandardCopyOption.REPLACE_EXISTING);
            }
            for (int i = 0; i < 10; i++) {
                running.doWork(0);
            }
            for (int i = 0; i < FILES; i += 2) {
                Files.move(files.get(i + 1), files.get(i));
            }
            for (int i = 0; i < 100; i++) {
                running.doWork(0);
                clock.advance(1);
            }
            assertThat(shipped.problems).anyMatch(problem -> problem.contains("behind byte 1000 is lost"));
        }
    }

    @Test
    void whatIsExchangedIsNeitherLostNorShippedAgain() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp, 4)) {
            List<Path> files = files(shipped);
            for (int i = 0; i < FILES; i += 2) {
                ModelChanges.exchange(files.get(i), files.get(i + 1));
            }
            Shipper running = shipped.shipper();
            for (int i = 0; i < 100; i++) {
                running.doWork(5);
            }
            assertThat(shipped.problems).noneMatch(problem -> problem.contains(" is lost"));
            shipped.drain().assertArchived();
            assertThat(shipped.load().versions()).hasSize(FILES);
        }
    }

    /** Changes that somebody makes without a pause. */
    @FunctionalInterface
    private interface Changes {
        void make(List<Path> files) throws IOException;
    }

    /** Asserts that the ten bytes that each file gets are in the archive or lost by name; returns what was told. */
    private List<String> areShippedOrTold(Changes changes) throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp, 4)) {
            List<Path> files = files(shipped);
            assertThat(shipped.problems).anyMatch(problem -> problem.contains("may be open at once (4)"));
            changes.make(files);
            Shipper running = shipped.shipper();
            for (int i = 0; i < 100; i++) {
                running.doWork(5);
            }
            List<String> told = shipped.problems.stream()
                    .filter(problem -> problem.contains("behind byte 1000 is lost"))
                    .toList();
            assertThat(told).hasSize((int) (FILES - whole(shipped))).isNotEmpty();
            assertThat(running.status().riskBytes()).isGreaterThanOrEqualTo(told.size());
            assertThat(shipped.flush().leftBytes()).isGreaterThanOrEqualTo(told.size());
            return told;
        }
    }

    /** A close puts the bytes in doubt: they are compared before the descriptor goes, not seconds later. */
    @Test
    void whatWasReadBeforeItIsClosedAndRemovedIsNotLost() throws IOException {
        try (ShippedTree shipped = new ShippedTree(temp, 4)) {
            List<Path> files = new ArrayList<>();
            for (int i = 0; i < FILES + 10; i++) { // fewer than may be open when a machine is slow
                files.add(shipped.file("f" + i));
                try (OutputStream writer = Files.newOutputStream(files.getLast())) {
                    writer.write(random(10, i));
                    shipped.settle();
                }
                shipped.settle();
            }
            for (Path file : files) {
                Files.delete(file);
            }
            assertThat(shipped.flush().leftBytes()).isZero();
            shipped.end();
            assertThat(told(shipped)).as(shipped.problems.toString()).isZero();
            assertThat(shipped.load().versions()).allMatch(version -> version.length() == 10);
        }
    }

    /** A killed shipper says nothing of any file: all are compared, and each is looked at a few times. */
    @Test
    void aStartThatComparesAllLooksAtEachAFewTimes() throws IOException {
        int count = 2000;
        try (ShippedTree shipped = new ShippedTree(temp, 500)) {
            for (int i = 0; i < count; i++) {
                append(shipped.file("f" + i), random(10, i));
            }
            shipped.settle().end();
            shipped.fileClock = Clock.offset(Clock.systemUTC(), Duration.ofHours(1));
            Shipper next = shipped.shipper();
            Predicate<Tail> done = next.parts.descriptors.lastLook;
            int[] looks = {0};
            next.parts.descriptors.lastLook = tail -> {
                looks[0]++;
                return done.test(tail);
            };
            shipped.settle();
            assertThat(next.parts.verifier.comparedBytes()).isPositive();
            assertThat(looks[0]).isLessThan(100 * count); // of 2,000 files each asked all that were open: 1,300
        }
    }

    /** As root a file without a name is opened by its handle, as long as a writer keeps it. */
    @Test
    @Tag("it")
    void whatAWriterKeepsIsOpenedAgain() throws IOException {
        Requires.root();
        try (ShippedTree shipped = new ShippedTree(temp, 4)) {
            List<OutputStream> writers = new ArrayList<>();
            for (Path file : files(shipped)) {
                OutputStream writer = Files.newOutputStream(file, StandardOpenOption.APPEND);
                writers.add(writer);
                writer.write(random(10, 99));
                Files.delete(file);
            }
            Shipper running = shipped.shipper();
            for (int i = 0; i < 100; i++) {
                running.doWork(5);
            }
            for (OutputStream writer : writers) {
                writer.close();
            }
            shipped.end();
            assertThat(shipped.load().versions()).allMatch(version -> version.length() == 1010);
            assertThat(shipped.problems).noneMatch(problem -> problem.contains("is lost"));
        }
    }

    /** Files without a name keep their descriptors: files beyond them wait, at risk, and commits continue. */
    @Test
    @Tag("it")
    void moreAreKeptByWritersThanMayBeOpen() throws IOException {
        Requires.root();
        try (ShippedTree shipped = new ShippedTree(temp, 4)) {
            List<OutputStream> writers = new ArrayList<>();
            for (Path file : files(shipped, 60)) {
                OutputStream writer = Files.newOutputStream(file, StandardOpenOption.APPEND);
                writers.add(writer);
                writer.write(random(10, 99));
                Files.delete(file);
            }
            Shipper running = shipped.shipper();
            for (int i = 0; i < 100; i++) {
                running.doWork(5);
            }
            assertThat(shipped.problems).anyMatch(problem -> problem.contains("Too many open files"));
            assertThat(running.status().riskBytes()).isPositive();
            append(shipped.file("later"), random(77, 1));
            for (int i = 0; i < 200; i++) {
                running.doWork(5);
            }
            assertThat(shipped.archived("later")).hasSize(77);
            for (OutputStream writer : writers) {
                writer.close(); // what was not open here is gone for ever
            }
            Await.steps("each file is whole, or told of", () -> {
                running.doWork(5);
                return whole(shipped) + told(shipped) == writers.size();
            });
            assertThat(running.status().riskBytes()).isGreaterThanOrEqualTo(told(shipped));
            assertThat(told(shipped)).isPositive();
        }
    }

    private static long whole(ShippedTree shipped) throws IOException {
        return shipped.load().versions().stream()
                .filter(version -> version.length() == 1010)
                .count();
    }

    private static long told(ShippedTree shipped) {
        return shipped.problems.stream()
                .filter(problem -> problem.contains(" is lost") || problem.contains("is not known"))
                .count();
    }
}
