package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.testkit.LineCount;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.TreeDiff;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code restore} gave back of one host, and what it must be equal to.
 *
 * @param directory of the host
 * @param archive the directory archive it came from, which a mount must show alike; null for others
 */
record Restored(Path directory, @Nullable Path archive, List<AgeIdentity> identities) {
    Restored(Path directory, @Nullable Path archive) {
        this(directory, archive, List.of());
    }

    /** The same, whose archive only this key opens. */
    Restored openedBy(AgeIdentity identity) {
        return new Restored(directory, archive, List.of(identity));
    }

    /** Where a path of the source stands in the restored tree. */
    Path of(Path source) {
        return below(directory, source);
    }

    private static Path below(Path host, Path source) {
        return host.resolve(Path.of("/").relativize(source.toAbsolutePath()));
    }

    /** All files, in both trees. */
    List<Path> files() {
        return Stream.concat(standing().stream(), gone().stream()).toList();
    }

    /** The files that stood at the moment. */
    List<Path> standing() {
        return Files.exists(directory) ? Archive.files(directory, file -> true) : List.of();
    }

    /** Files that are gone, and earlier states of files: all that was restored into a tree of its own. */
    List<Path> gone() {
        Path tree = directory.resolveSibling(".gone").resolve(directory.getFileName());
        return Files.exists(tree) ? Archive.files(tree, file -> true) : List.of();
    }

    /** The restored tree is the source: content, permissions, times, links. */
    Restored same(Path source) {
        return same(source, name -> true);
    }

    Restored same(Path source, Predicate<String> relevant) {
        Path restored = of(source);
        assertThat(Files.exists(restored)).as("%s is in the archive", source).isTrue();
        assertThat(TreeDiff.of(source, restored, relevant))
                .as("differences of the restored %s", source)
                .isEmpty();
        if (archive != null && MountedArchive.isPossible()) {
            try (MountedArchive mounted = new MountedArchive(archive, identities)) {
                Path shown = below(mounted.directory().resolve(directory.getFileName()), source);
                assertThat(TreeDiff.of(source, shown, relevant))
                        .as("differences of the mounted %s", source)
                        .isEmpty();
                assertThat(mounted.messages()).isEmpty();
            }
        }
        return this;
    }

    /** Every line stands exactly once in all that was restored. */
    Restored exact(LineWriter... writers) {
        LineCount count = expecting(writers);
        files().forEach(count::current);
        return exact(count);
    }

    /**
     * Every line stands exactly once in the files that have a name, or in a file that is gone. A gone file may repeat
     * what a named file took over from it: for scenarios that copy content and then truncate it.
     */
    Restored exactWithCopies(LineWriter... writers) {
        LineCount count = expecting(writers);
        standing().forEach(count::current);
        gone().forEach(count::superseded);
        return exact(count);
    }

    private static LineCount expecting(LineWriter... writers) {
        LineCount count = new LineCount();
        for (LineWriter writer : writers) {
            count.expect(writer);
        }
        return count;
    }

    private Restored exact(LineCount count) {
        LineCount.Result result = count.result();
        assertThat(result)
                .as("lines lost, doubled, torn in %s", directory)
                .isEqualTo(new LineCount.Result(0, 0, 0, List.of()));
        return this;
    }
}
