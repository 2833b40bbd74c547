package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a database is kept, on any file system. */
final class DatabaseTest {
    private final Path temp;
    private final Path tree;

    DatabaseTest(@TempDir Path temp) {
        this.temp = temp;
        tree = temp.resolve("tree");
    }

    @BeforeEach
    void makeTree() throws IOException {
        Files.createDirectory(tree);
        Files.write(tree.resolve("a"), new byte[5000]);
        Files.write(tree.resolve("b"), new byte[6000]);
    }

    private long known(Path database) throws IOException {
        DedupeOptions options = DedupeOptions.DEFAULT.withDatabase(Pathname.of(database.toString()));
        return new Run(options, tree).count(Count.KNOWN);
    }

    @Test
    void aLinkIsFollowedAlsoToNothing() throws IOException {
        Path place = Files.createDirectory(temp.resolve("place"));
        Path second = Files.createSymbolicLink(place.resolve("second"), Path.of("db"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), second);
        assertThat(known(link)).isZero();
        assertThat(known(link)).as("of the file where the link leads").isEqualTo(2);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(Files.isSymbolicLink(second)).isTrue();
        assertThat(place.resolve("db")).isRegularFile();
        try (Stream<Path> all = Files.list(place)) {
            assertThat(all).as("no other file is left").hasSize(2);
        }
    }

    @Test
    void aLinkThatLeadsToNoFileIsRefused() throws IOException {
        Path device = Files.createSymbolicLink(temp.resolve("device"), Path.of("/dev/null"));
        assertThatThrownBy(() -> known(device)).hasMessageStartingWith("/dev/null is no file");
        Path round = Files.createSymbolicLink(temp.resolve("round"), temp.resolve("round"));
        assertThatThrownBy(() -> known(round)).hasMessageContaining("Too many levels of symbolic links");
        Path nowhere = Files.createSymbolicLink(temp.resolve("nowhere"), temp.resolve("absent/db"));
        assertThatThrownBy(() -> known(nowhere)).hasMessageContaining("No such file or directory");
    }

    /** A database that a crash cut off or overwrote counts as none; a file that never was one is not touched. */
    @Test
    void aDamagedOneIsEmpty() throws IOException {
        Path database = temp.resolve("db");
        known(database);
        byte[] whole = Files.readAllBytes(database);
        for (int length = 0; length < whole.length; length += length < 24 ? 1 : 17) {
            Files.write(database, Arrays.copyOf(whole, length));
            if (length == 0 || length >= 8) {
                assertThat(known(database)).as("%d bytes", length).isZero();
                assertThat(database).hasBinaryContent(whole);
            }
        }
        whole[40]++;
        Files.write(database, whole);
        assertThat(known(database)).isZero();
        byte[] other = "a shopping list".getBytes(StandardCharsets.US_ASCII);
        Files.write(database, other);
        assertThatThrownBy(() -> known(database)).hasMessageContaining("is no database of chagres dedupe");
        assertThat(database).hasBinaryContent(other);
    }
}
