package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links in a followed tree to files outside of it, as those of pods are on a node with Docker. */
@Tag("long")
final class OutwardLinksTest {
    @TempDir
    Path temp;

    private ShippedTree tree;
    private Path outside;
    private Path link;
    private Path target;

    @BeforeEach
    void open() throws IOException {
        tree = new ShippedTree(temp);
        outside = Files.createDirectory(temp.resolve("outside"));
        target = outside.resolve("c1.log");
        link = tree.file("0.log");
        tree.followLinks = true;
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private void awaitArchived(String name, byte[] expected) throws IOException {
        Shipper running = tree.shipper();
        Await.steps("the archive has " + name, () -> {
            ShippedTree.step(running);
            return Arrays.equals(expected, tree.archived(name));
        });
    }

    /** The events of a new file are read when its directory is one of somebody else. */
    @Test
    void aDirectoryThatBecomesALinkLeadsNowhere() throws IOException {
        tree.followLinks = false;
        byte[] secret = random(777, 1);
        append(outside.resolve("new"), secret);
        Path directory = Files.createDirectory(tree.file("d"));
        tree.settle();
        append(directory.resolve("new"), random(100, 2));
        Files.move(directory, temp.resolve("away"));
        Files.createSymbolicLink(directory, outside);
        tree.settle();
        assertThat(tree.load().versions()).noneMatch(version -> version.length() == secret.length);
    }

    @Test
    void countsAndSaysWhatItDoesNotFollow() throws IOException {
        tree.followLinks = false;
        append(target, random(100, 1));
        append(tree.file("inside"), random(100, 2));
        Files.createSymbolicLink(link, target);
        Files.createSymbolicLink(tree.file("1.log"), outside);
        Files.createSymbolicLink(tree.file("2.log"), tree.file("inside"));
        Files.createSymbolicLink(tree.file("3.log"), temp.resolve("nowhere"));
        Files.createSymbolicLink(tree.file("4.log"), tree.file("4.log"));
        tree.settle();
        assertThat(tree.shipper().status().unfollowedLinks()).isEqualTo(2);
        assertThat(tree.problems).hasSize(1);
        assertThat(tree.problems.getFirst()).contains("a link that leads out", "--follow-links");
        Files.delete(link);
        tree.settle();
        assertThat(tree.shipper().status().unfollowedLinks()).isEqualTo(1);
    }

    /** Pods come after the ship that is to follow them. */
    @Test
    void saysThatItDoesNotFollowWhatComesLater() throws IOException {
        tree.followLinks = false;
        append(target, random(100, 1));
        tree.settle();
        assertThat(tree.problems).isEmpty();
        Files.createSymbolicLink(link, target);
        tree.settle();
        Files.createSymbolicLink(tree.file("1.log"), outside);
        tree.settle();
        assertThat(tree.problems).singleElement().asString().contains("0.log is a link that leads out");
    }

    @Test
    void shipsTheTargetUnderTheNameOfTheLinkThroughAChain() throws IOException {
        byte[] all = random(9000, 1);
        append(target, Arrays.copyOf(all, 4000));
        Path middle = Files.createSymbolicLink(outside.resolve("container.log"), target);
        Files.createSymbolicLink(link, middle);
        tree.settle();
        assertThat(tree.archived("0.log")).isEqualTo(Arrays.copyOf(all, 4000));
        append(target, Arrays.copyOfRange(all, 4000, 9000));
        awaitArchived("0.log", all);
        assertThat(tree.shipper().status().unfollowedLinks()).isZero();
        tree.drain();
        tree.settle();
        assertThat(tree.load().versions()).as("known again").hasSize(1);
        NameTree.Entry entry = tree.load().names().find(Pathname.of(link.toString()));
        assertThat(entry.kind()).isEqualTo(LogRecord.Kind.FILE);
        assertThat(tree.problems).isEmpty();
    }

    @Test
    void followsARotationOfTheTarget() throws IOException {
        byte[] old = random(5000, 1);
        append(target, Arrays.copyOf(old, 3000));
        Files.createSymbolicLink(link, target);
        tree.settle();
        append(target, Arrays.copyOfRange(old, 3000, 5000));
        Files.move(target, outside.resolve("c1.log.1"));
        byte[] next = random(700, 2);
        append(target, next);
        awaitArchived("0.log", next);
        tree.drain();
        assertThat(tree.load().versions().stream().map(each -> {
                    try {
                        return tree.content(each).length;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }))
                .containsExactlyInAnyOrder(5000, 700);
    }

    @Test
    void followsALinkThatIsReplacedAndATargetThatComesLater() throws IOException {
        Files.createSymbolicLink(link, target);
        tree.settle();
        byte[] first = random(800, 1);
        append(target, first);
        awaitArchived("0.log", first);
        Path other = outside.resolve("c2.log");
        byte[] second = random(900, 2);
        append(other, second);
        Files.move(
                Files.createSymbolicLink(tree.file("new"), other),
                link,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        awaitArchived("0.log", second);
    }

    @Test
    void twoLinksToOneFileAreOneVersion() throws IOException {
        byte[] bytes = random(3000, 1);
        append(target, bytes);
        Files.createSymbolicLink(link, target);
        Files.createSymbolicLink(tree.file("1.log"), target);
        tree.settle();
        assertThat(tree.archived("0.log")).isEqualTo(bytes);
        assertThat(tree.archived("1.log")).isEqualTo(bytes);
        assertThat(tree.load().versions()).hasSize(1);
        assertThat(tree.storedBytes()).isEqualTo(3000);
    }

    @Test
    void aLinkWithinTheTreeStaysALink() throws IOException {
        append(tree.file("inside"), random(100, 1));
        Files.createSymbolicLink(link, tree.file("inside"));
        tree.settle();
        assertThat(tree.archived("0.log")).isNull();
        assertThat(tree.load().versions()).hasSize(1);
    }

    @Test
    void readsTheTargetToItsEndWhenTheLinkGoes() throws IOException {
        byte[] all = random(5000, 1);
        append(target, Arrays.copyOf(all, 3000));
        Files.createSymbolicLink(link, target);
        tree.settle();
        append(target, Arrays.copyOfRange(all, 3000, 5000));
        Files.delete(link);
        Files.delete(target);
        tree.settle().drain();
        assertThat(tree.load().versions()).hasSize(1);
        assertThat(tree.content(tree.load().versions().iterator().next())).isEqualTo(all);
    }
}
