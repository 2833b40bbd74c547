package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of an image, which overlayfs copies up when they are written: where the lower layer gives no handles (another
 * overlay), they have other inode numbers once that is mounted again, as after the restart of a container.
 */
@Tag("it")
class CopiedUpTest {
    @TempDir
    Path temp;

    private final byte[] image = ShippedTree.random(700_000, 1);

    /** What somebody does to the file of the image while it is shipped, and while it is not. */
    private interface Change {
        void make(Path file) throws IOException;
    }

    private record Found(long version, long storedBytes) {}

    private Found found(ShippedTree shipped) throws IOException {
        Path file = shipped.file("app.log");
        NameTree.Entry entry = shipped.load().names().find(Pathname.of(file.toString()));
        return new Found(
                Objects.requireNonNull(Objects.requireNonNull(entry).version()).id(), shipped.storedBytes());
    }

    private static Path layers(Path at) throws IOException {
        for (String layer : new String[] {"lower", "upper", "work"}) {
            Files.createDirectories(at.resolve(layer));
        }
        return at;
    }

    /** Ships, writes, and ships again after the overlay was mounted again; returns what is found before and after. */
    private Found[] mountedAgain(Change meanwhile) throws IOException {
        Requires.root();
        Path inner = layers(temp.resolve("inner"));
        Path outer = layers(temp.resolve("outer"));
        try (ShippedTree shipped = new ShippedTree(temp);
                Mounted _ = Mounted.overlay(inner, outer.resolve("lower"))) {
            Files.write(outer.resolve("lower/app.log"), image);
            Found before;
            Object inode;
            try (Mounted _ = Mounted.overlay(outer, shipped.tree)) {
                shipped.settle();
                ShippedTree.append(shipped.file("app.log"), line("while it is shipped"));
                shipped.drain();
                before = found(shipped);
                inode = Files.getAttribute(shipped.file("app.log"), "unix:ino");
            }
            try (Mounted _ = Mounted.overlay(outer, shipped.tree)) {
                assertThat(Files.getAttribute(shipped.file("app.log"), "unix:ino"))
                        .isNotEqualTo(inode);
                meanwhile.make(shipped.file("app.log"));
                shipped.drain().assertArchived();
                return new Found[] {before, found(shipped)};
            }
        }
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void theyGoOnAsTheSameVersion() throws IOException {
        byte[] line = line("later");
        Found[] found = mountedAgain(file -> ShippedTree.append(file, line));
        assertThat(found[1].version).isEqualTo(found[0].version);
        assertThat(found[1].storedBytes).isEqualTo(found[0].storedBytes + line.length);
    }

    @Test
    void anotherFileOfThatNameIsAnotherVersion() throws IOException {
        Found[] found = mountedAgain(file -> {
            Files.delete(file);
            Files.write(file, ShippedTree.random(image.length * 2, 2));
        });
        assertThat(found[1].version).isNotEqualTo(found[0].version);
    }

    @Test
    void bytesThatWereChangedBetweenAreFound() throws IOException {
        Found[] found = mountedAgain(file -> {
            byte[] bytes = Files.readAllBytes(file);
            bytes[300_000]++;
            Files.write(file, bytes);
        });
        assertThat(found[1].version).isNotEqualTo(found[0].version);
    }
}
