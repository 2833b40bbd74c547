package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Tells where the data of files lies on the disk. */
final class Places {
    private Places() {}

    /** Returns the extents of a file that hold data, as text. */
    static List<String> of(Path file) throws IOException {
        return of(file, Fiemap.FIEMAP_EXTENT_UNWRITTEN);
    }

    private static List<String> of(Path file, int hiddenFlags) throws IOException {
        List<String> places = new ArrayList<>();
        try (Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
                Fiemap map = new Fiemap()) {
            assertThat(map.read(fd, 0, Long.MAX_VALUE, Fiemap.FIEMAP_FLAG_SYNC)).isNotNegative();
            for (int i = 0; i < map.count(); i++) {
                if ((map.flags(i) & hiddenFlags) == 0) {
                    places.add(map.logical(i) + " " + map.physical(i) + " " + map.length(i));
                }
            }
        }
        return places;
    }

    /** Returns how many bytes of a file have a place. */
    static long bytesOf(Path file) throws IOException {
        return of(file).stream()
                .mapToLong(place -> Long.parseLong(place.split(" ")[2]))
                .sum();
    }

    /** Returns how many bytes of each file below a directory have a place. */
    static Map<Path, Long> bytesBelow(Path top) throws IOException {
        Map<Path, Long> bytes = new TreeMap<>();
        for (Path file : below(top).keySet()) {
            bytes.put(file, bytesOf(file));
        }
        return bytes;
    }

    /** Returns the extents of each file below a directory, also those that are only reserved. */
    static Map<Path, List<String>> below(Path top) throws IOException {
        return below(top, 0);
    }

    /** Returns what each file below a directory has reserved without data. */
    static Map<Path, List<String>> reservedBelow(Path top) throws IOException {
        Map<Path, List<String>> reserved = below(top);
        Map<Path, List<String>> data = below(top, Fiemap.FIEMAP_EXTENT_UNWRITTEN);
        reserved.forEach((file, places) -> places.removeAll(data.getOrDefault(file, List.of())));
        return reserved;
    }

    /** Returns the place on the disk of a byte of a file, -1 if it has none. */
    static long at(Path file, long position) throws IOException {
        for (String place : of(file)) {
            long[] numbers =
                    Stream.of(place.split(" ")).mapToLong(Long::parseLong).toArray();
            if (numbers[0] <= position && position < numbers[0] + numbers[2]) {
                return numbers[1] + position - numbers[0];
            }
        }
        return -1;
    }

    private static Map<Path, List<String>> below(Path top, int hiddenFlags) throws IOException {
        Map<Path, List<String>> places = new TreeMap<>();
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                places.put(file, of(file, hiddenFlags));
            }
        }
        return places;
    }

    /** Returns how many bytes of the disk all files below a directory take. */
    static long distinctBytesOf(Path top) throws IOException {
        BitSet blocks = new BitSet();
        for (List<String> file : below(top, Fiemap.FIEMAP_EXTENT_UNWRITTEN).values()) {
            for (String place : file) {
                String[] numbers = place.split(" ");
                int first = Math.toIntExact(Long.parseLong(numbers[1]) / 4096);
                blocks.set(first, first + Math.toIntExact(Long.parseLong(numbers[2]) / 4096));
            }
        }
        return blocks.cardinality() * 4096L;
    }

    /** Checks that files lie in the same place. */
    static void areShared(Path... files) throws IOException {
        for (Path file : files) {
            assertThat(of(file)).as("%s and %s", files[0], file).isEqualTo(of(files[0]));
        }
    }

    /** Checks that two files have no block in common. */
    static void areApart(Path a, Path b) throws IOException {
        assertThat(of(a)).doesNotContainAnyElementsOf(of(b));
    }
}
