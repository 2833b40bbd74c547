package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Shipped bytes that change, together with growth or in ways that raise no event: a drain is never wrong. */
@Tag("long")
@Order(1)
class ChangedPrefixTest {
    @TempDir
    Path temp;

    private ShippedTree shipped;

    enum Change {
        BYTE_AND_APPEND {
            @Override
            void make(Path file) throws IOException {
                put(file, 1);
                append(file, random(1000, 7));
            }
        },
        MIDDLE_AND_APPEND {
            @Override
            void make(Path file) throws IOException {
                append(file, random(1000, 7));
                put(file, 50_000);
            }
        },
        APPENDS_AND_BYTES {
            @Override
            void make(Path file) throws IOException {
                for (int i = 0; i < 5; i++) {
                    put(file, 1000 * i);
                    append(file, random(10, i));
                }
            }
        },
        SAME_SIZE_AND_TIME {
            @Override
            void make(Path file) throws IOException {
                FileTime before = Files.getLastModifiedTime(file);
                put(file, 3);
                Files.setLastModifiedTime(file, before);
            }
        },
        MAPPED {
            @Override
            void make(Path file) throws IOException {
                try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                    MappedByteBuffer mapped = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 100_000);
                    mapped.put(70_000, (byte) (mapped.get(70_000) ^ 1));
                }
            }
        };

        abstract void make(Path file) throws IOException;

        private static void put(Path file, long at) throws IOException {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.seek(at);
                int before = open.read();
                open.seek(at);
                open.write(before ^ 1);
            }
        }
    }

    @BeforeEach
    void open() throws IOException {
        shipped = new ShippedTree(temp);
        append(shipped.file("f"), random(100_000, 1));
        shipped.settle();
    }

    @AfterEach
    void close() {
        shipped.close();
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByTheDrain(Change change) throws IOException {
        change.make(shipped.file("f"));
        shipped.drain().assertArchived();
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByTheDrainAfterItWasShipped(Change change) throws IOException {
        change.make(shipped.file("f"));
        shipped.settle();
        shipped.drain().assertArchived();
    }

    /** The change time is later than the end of the run before, whatever the modification time says. */
    @ParameterizedTest
    @EnumSource
    void isFoundByTheDrainWhenNobodyShippedMeanwhile(Change change) throws IOException {
        shipped.drain();
        change.make(shipped.file("f"));
        shipped.settle();
        shipped.drain().assertArchived();
    }

    /** A page that is dirty when a shipper ends takes stores without a trace; on tmpfs each page does. */
    @ParameterizedTest
    @CsvSource({"/tmp, false", "/tmp, true", "/dev/shm, false"})
    void aStoreThroughAMappingIsFoundByTheNextShipper(Path where, boolean forgets) throws IOException {
        Path place = Files.createTempDirectory(where, "mapped");
        try (ShippedTree mapped = new ShippedTree(place)) {
            append(mapped.file("f"), random(100_000, 1));
            append(mapped.file("rests"), random(100_000, 2));
            mapped.settle();
            try (FileChannel channel =
                            FileChannel.open(mapped.file("f"), StandardOpenOption.READ, StandardOpenOption.WRITE);
                    Arena mapping = Arena.ofConfined()) {
                MemorySegment bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, 100_000, mapping);
                bytes.set(ValueLayout.JAVA_BYTE, 70_000, (byte) 1);
                mapped.drain();
                bytes.set(ValueLayout.JAVA_BYTE, 70_001, (byte) 2);
            }
            if (forgets) {
                mapped.forget();
            }
            mapped.settle();
            mapped.drain().assertArchived();
        } finally {
            try (Stream<Path> all = Files.walk(place)) {
                all.sorted(Comparator.reverseOrder())
                        .forEach(each -> each.toFile().delete());
            }
        }
    }

    /** The next shipper compares less than all that changed lately where the one before says how far it came. */
    @Test
    void leavesWhatItHasProvenAlsoWhereItShippedNothing() throws IOException {
        for (int start = 0; start < 3; start++) {
            shipped.drain();
            String commit = last("archive", "*.zst").getFileName().toString().replaceFirst("^0*", "");
            assertThat(Files.readString(last("state", "unproven")).split(" ")[1] + ".zst")
                    .as("the end of start %d", start)
                    .isEqualTo(commit);
        }
    }

    private Path last(String below, String name) throws IOException {
        PathMatcher matcher = temp.getFileSystem().getPathMatcher("glob:" + name);
        try (Stream<Path> all = Files.walk(temp.resolve(below))) {
            return all.filter(each -> matcher.matches(each.getFileName()))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** A page that is dirty already takes more stores without a trace. */
    @Test
    void aSecondStoreThroughAMappingIsFoundByTheDrain() throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(shipped.file("f").toFile(), "rw")) {
            MappedByteBuffer mapped = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 100_000);
            mapped.put(70_000, (byte) (mapped.get(70_000) ^ 1));
            append(shipped.file("f"), random(1000, 2));
            shipped.settle();
            mapped.put(70_001, (byte) (mapped.get(70_001) ^ 1));
            shipped.drain().assertArchived();
        }
    }

    @Test
    void isCountedUntilItWasCompared() throws IOException {
        Change.BYTE_AND_APPEND.make(shipped.file("f"));
        stepUntil("all of it is to compare", status -> status.unverifiedBytes() == 101_000);
        shipped.drain();
        shipped.settle();
        Change.SAME_SIZE_AND_TIME.make(shipped.file("f"));
        shipped.shipper().requestFlush();
        stepUntil("nothing is left to compare", status -> status.unverifiedBytes() == 0 && status.riskBytes() == 0);
        shipped.drain().assertArchived();
    }

    /** Asks after each step: a machine that stands still for a second has compared the file by the next one. */
    private void stepUntil(String what, Predicate<ShipStatus> holds) throws IOException {
        Shipper running = shipped.shipper();
        Await.steps(what, () -> {
            running.doWork(5);
            return holds.test(running.status());
        });
    }
}
