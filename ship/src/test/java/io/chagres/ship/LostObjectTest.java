package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data objects that were acknowledged are still in the store when somebody waits for the answer. */
@Tag("long")
class LostObjectTest {
    private static final int LARGE = 3 << 20;

    @TempDir
    Path temp = Path.of("");

    private ShippedTree tree(int files) throws IOException {
        return grown(new ShippedTree(temp), files);
    }

    private static ShippedTree grown(ShippedTree tree, int files) throws IOException {
        for (int i = 0; i < files; i++) {
            ShippedTree.append(tree.file(i + ".log"), ShippedTree.random(LARGE, i));
        }
        ShippedTree.append(tree.file("small.log"), ShippedTree.random(500, 99));
        tree.settle();
        assertThat(objects(tree)).hasSize(files);
        return tree;
    }

    private static List<Path> objects(ShippedTree tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree.archive)) {
            return all.filter(path -> path.toString().contains("/streams/") && Files.isRegularFile(path))
                    .sorted()
                    .toList();
        }
    }

    private static void truncate(Path object) throws IOException {
        try (FileChannel channel = FileChannel.open(object, StandardOpenOption.WRITE)) {
            channel.truncate(Files.size(object) - 1);
        }
    }

    private static DamagedLogException assertDrainIsRefused(ShippedTree tree) throws IOException {
        tree.shipper().requestDrain();
        DamagedLogException refused = assertThrows(DamagedLogException.class, () -> {
            while (!tree.shipper().finished()) {
                tree.shipper().doWork(5);
            }
        });
        assertThat(refused).hasMessageContaining("/streams/").hasMessageContaining("is missing or has another size");
        tree.end();
        return refused;
    }

    private static void assertShippedAgain(ShippedTree tree, String damaged, int files) throws IOException {
        tree.drain();
        String next = ContinuationTest.otherHost(tree, damaged);
        for (int i = 0; i < files; i++) {
            Path file = tree.file(i + ".log");
            assertThat(ContinuationTest.together(tree, damaged, next, file)).isEqualTo(Files.readAllBytes(file));
        }
        Path small = tree.file("small.log");
        assertThat(ContinuationTest.together(tree, damaged, next, small)).isEqualTo(Files.readAllBytes(small));
    }

    @ParameterizedTest
    @ValueSource(strings = {"removed", "cut", "link"})
    void shipsAgainWhatALostObjectHeld(String fate) throws IOException {
        try (ShippedTree tree = tree(2)) {
            String damaged = ContinuationTest.onlyHost(tree);
            ShippedTree.append(tree.file("1.log"), ShippedTree.random(700, 7)); // behind the object, and in a commit
            tree.settle();
            Path lost = objects(tree).getLast();
            if (fate.equals("cut")) {
                truncate(lost);
            } else {
                Files.delete(lost);
            }
            if (fate.equals("link")) {
                Files.createSymbolicLink(lost, objects(tree).getFirst());
            }
            assertDrainIsRefused(tree);
            assertShippedAgain(tree, damaged, 2);
            int objects = objects(tree).size();
            tree.drain(); // and then rests
            assertThat(objects(tree)).hasSize(objects);
        }
    }

    @Test
    void shipsAgainWhatManyObjectsHeld() throws IOException {
        try (ShippedTree tree = tree(3)) {
            String damaged = ContinuationTest.onlyHost(tree);
            for (Path object : objects(tree)) {
                Files.delete(object);
            }
            assertDrainIsRefused(tree);
            assertShippedAgain(tree, damaged, 3);
            assertThat(objects(tree)).hasSize(3);
        }
    }

    /** Nobody looks twice for an object: more may be damaged than the one that is found. */
    @Test
    void shipsAgainWhatOlderObjectsHeld() throws IOException {
        try (ShippedTree tree = tree(3)) {
            String damaged = ContinuationTest.onlyHost(tree);
            tree.flush(); // they are there
            ShippedTree.append(tree.file("3.log"), ShippedTree.random(LARGE, 3));
            tree.settle();
            for (Path object : objects(tree)) {
                truncate(object);
            }
            assertDrainIsRefused(tree);
            assertShippedAgain(tree, damaged, 4);
        }
    }

    /** Bytes that are a copy of lost ones are lost too. */
    @Test
    void shipsAgainWhatIsACopyOfALostObject() throws IOException {
        try (ShippedTree tree = tree(1)) {
            String damaged = ContinuationTest.onlyHost(tree);
            Files.copy(tree.file("0.log"), tree.file("1.log"));
            tree.settle();
            assertThat(tree.storedBytes()).isLessThan(2 * LARGE);
            Files.delete(objects(tree).getFirst());
            assertDrainIsRefused(tree);
            assertShippedAgain(tree, damaged, 2);
        }
    }

    /** Encrypted objects are longer than their content. */
    @Test
    void looksForEncryptedObjects() throws IOException {
        ShippedTree begun = new ShippedTree(temp);
        begun.recipients = List.of(AgeIdentity.generate().recipient());
        try (ShippedTree tree = grown(begun, 2)) {
            tree.flush();
            ShippedTree.append(tree.file("more.log"), ShippedTree.random(LARGE, 5));
            tree.settle();
            Files.delete(objects(tree).getLast());
            assertDrainIsRefused(tree);
        }
    }

    @Test
    void anObjectInAnArchiveTierIsKept() throws IOException {
        try (ShippedTree tree = tree(1)) {
            tree.archivesObjects = true;
            tree.drain();
        }
    }

    /** A compaction stands for a commit and removes what it referred to. */
    @Test
    void anObjectThatWasCompactedIsNotLost() throws IOException {
        try (ShippedTree tree = tree(1)) {
            Path compacted = objects(tree).getFirst();
            try (BlobStore store = DirectoryStore.open(Pathname.of(tree.archive.toString()), false)) {
                SmallArchive.compact(store, 3_600_000, tree.clock); // the commit stays for the grace period
            }
            Files.delete(compacted);
            tree.drain();
        }
    }

    /** A spool removes what was delivered, at once. */
    @Test
    void anObjectThatASpoolDeliveredIsNotLost() throws IOException {
        try (ShippedTree tree = tree(1)) {
            Path delivered = objects(tree).getFirst();
            SmallArchive.compactDelivered(tree.archive);
            assertThat(delivered).doesNotExist();
            tree.drain();
        }
    }

    /** Nobody looked for the last object before the shipper ended. */
    @Test
    void looksForWhatAShipperBeforeDidNotLookFor() throws IOException {
        try (ShippedTree tree = tree(2)) {
            String damaged = ContinuationTest.onlyHost(tree);
            tree.end();
            Files.delete(objects(tree).getLast());
            ShippedTree.append(tree.file("small.log"), ShippedTree.random(100, 8));
            tree.settle();
            assertDrainIsRefused(tree);
            assertShippedAgain(tree, damaged, 2);
        }
    }

    @Test
    void asksAStoreOnceForAnObjectAcrossStarts() throws IOException {
        try (ShippedTree tree = tree(2)) {
            tree.drain();
            tree.hidesObjects = true;
            tree.drain();
        }
    }

    /** The next shipper of the process knows of the damage all the same. */
    @Test
    void shipsAgainWithoutAStateDirectory() throws IOException {
        Path none = temp.resolve("state");
        Files.createFile(none);
        try (ShippedTree tree = tree(2)) {
            String damaged = ContinuationTest.onlyHost(tree);
            Files.delete(objects(tree).getFirst());
            tree.altered = assertDrainIsRefused(tree).altered();
            assertShippedAgain(tree, damaged, 2);
            tree.altered = List.of();
            tree.drain();
            assertThat(objects(tree)).hasSize(2);
        }
    }

    @Test
    void aStoreThatDoesNotAnswerHasLostNothing() throws IOException {
        try (ShippedTree tree = tree(1)) {
            tree.hidesObjects = true;
            tree.shipper().requestDrain();
            for (int i = 0; i < 100; i++) {
                tree.shipper().doWork(5);
            }
            assertThat(tree.shipper().finished()).isFalse();
            tree.hidesObjects = false;
            tree.drain();
        }
    }
}
