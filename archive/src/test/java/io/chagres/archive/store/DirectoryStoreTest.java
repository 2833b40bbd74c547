package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the contract on a directory, and tests what only a directory can do. */
class DirectoryStoreTest extends BlobStoreContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @Override
    protected BlobStore open() throws IOException {
        return open(directory.resolve("archive/deep/down"), true);
    }

    private static DirectoryStore open(Path path, boolean create) throws IOException {
        return DirectoryStore.open(Pathname.of(path.toString()), create);
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void keepsAnObjectAsAFile() throws IOException {
        Path root = directory.resolve("plain");
        try (DirectoryStore store = open(root, true)) {
            store.putIfAbsent("hosts/a/log/1", bytes("content"));
        }
        assertThat(root.resolve("hosts/a/log/1")).hasContent("content");
        try (DirectoryStore store = open(root, false)) {
            assertThat(store.size("hosts/a/log/1")).isEqualTo(7);
        }
    }

    @Test
    void saysThatThereIsNoArchive() {
        assertThatThrownBy(() -> open(directory.resolve("absent"), false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("there is no archive at " + directory.resolve("absent"));
    }

    @Test
    void refusesAFileAsRoot() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        assertThatThrownBy(() -> open(file, true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("not a directory");
        assertThatThrownBy(() -> open(file.resolve("below"), true)).isInstanceOf(StoreException.class);
    }

    @Test
    void followsNoLinkOutOfTheArchive() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "secret");
        Path root = directory.resolve("hostile");
        try (DirectoryStore store = open(root, true)) {
            Files.createSymbolicLink(root.resolve("hosts"), outside);
            Files.createSymbolicLink(root.resolve("link"), outside.resolve("secret"));
            assertThatThrownBy(() -> store.get("hosts/secret", 0, MemorySegment.ofArray(new byte[9])))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("symbolic link");
            assertThatThrownBy(() -> store.get("link", 0, MemorySegment.ofArray(new byte[9])))
                    .isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> store.putIfAbsent("hosts/new", bytes("x"))).isInstanceOf(StoreException.class);
            assertThat(outside.resolve("new")).doesNotExist();
            assertThat(StreamSupport.stream(BlobList.all(store, "", null).spliterator(), false)
                            .map(BlobInfo::key))
                    .isEmpty();
        }
    }

    /** A file without content takes no time, whatever it says its size is. */
    @Test
    void movesAFileOfAnySize() throws IOException {
        Path root = directory.resolve("huge");
        try (DirectoryStore store = open(root, true)) {
            store.putIfAbsent("hosts/a", bytes("x"));
            try (RandomAccessFile file =
                    new RandomAccessFile(root.resolve("hosts/a").toFile(), "rw")) {
                file.setLength(1L << 40);
            }
            store.move("hosts/a", "quarantine/hosts/a", 1 << 20);
            assertThat(store.size("hosts/a")).isEqualTo(-1);
            assertThat(store.size("quarantine/hosts/a")).isEqualTo(1L << 40);
        }
    }

    @Test
    void ignoresWhatIsNoObject() throws IOException {
        Path root = directory.resolve("strange");
        try (DirectoryStore store = open(root, true)) {
            store.putIfAbsent("hosts/a", bytes("x"));
            Files.writeString(root.resolve("hosts/with space"), "x");
            Files.writeString(root.resolve("tmp/left"), "x");
            Files.createDirectory(root.resolve("hosts/directory"));
            assertThat(StreamSupport.stream(BlobList.all(store, "", null).spliterator(), false)
                            .map(BlobInfo::key))
                    .containsExactly("hosts/a");
            assertThat(store.size("hosts/directory")).isEqualTo(-1);
            assertThat(store.children("hosts/")).containsExactly("a", "directory");
        }
    }

    /** Reading one would wait for a writer for ever, or never end. */
    @ParameterizedTest
    @ValueSource(strings = {"fifo", "directory", "link", "socket"})
    void readsNothingThatIsNoFile(String what) throws IOException {
        Path root = directory.resolve("no file");
        try (DirectoryStore store = open(root, true)) {
            store.putIfAbsent("hosts/a", bytes("x"));
            Path place = root.resolve("hosts/b");
            switch (what) {
                case "fifo" -> Program.ok("mkfifo", place.toString());
                case "directory" -> Files.createDirectory(place);
                case "link" -> Files.createSymbolicLink(place, Path.of("/dev/zero"));
                default ->
                    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                            .bind(UnixDomainSocketAddress.of(place))
                            .close();
            }
            assertThatThrownBy(() -> store.get("hosts/b", 0, MemorySegment.ofArray(new byte[9])))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.kind())
                            .isEqualTo(StoreException.Kind.NO_OBJECT));
            assertThat(BlobList.first(store, "hosts/b")).isNull();
            store.delete("hosts/b");
            assertThat(store.putIfAbsent("hosts/b", bytes("y"))).isTrue();
        }
    }

    @Test
    void makesADirectoryAgainThatSomebodyRemoved() throws IOException {
        Path root = directory.resolve("removed");
        try (DirectoryStore store = open(root, true)) {
            store.putIfAbsent("a/b/1", bytes("x"));
            Files.delete(root.resolve("a/b/1"));
            Files.delete(root.resolve("a/b"));
            Files.delete(root.resolve("a"));
            assertThat(store.putIfAbsent("a/b/2", bytes("x"))).isTrue();
        }
    }

    /** A new directory is made below one that is known, and gone. */
    @Test
    void makesTheDirectoriesAboveAgainThatSomebodyRemoved() throws IOException {
        Path root = directory.resolve("cut");
        try (DirectoryStore store = open(root, true)) {
            store.putIfAbsent("hosts/a/streams/1/0", bytes("one"));
            Program.ok("rm", "-r", root.resolve("hosts/a/streams").toString());
            store.putIfAbsent("hosts/a/streams/2/0", bytes("two"));
            store.putIfAbsent("hosts/a/streams/1/0", bytes("again"));
        }
        assertThat(root.resolve("hosts/a/streams/2/0")).hasContent("two");
        assertThat(root.resolve("hosts/a/streams/1/0")).hasContent("again");
    }

    @Test
    void doesNotUseAWriterAgain() throws IOException {
        try (DirectoryStore store = open(directory.resolve("again"), true);
                BlobWriter writer = store.create("x")) {
            writer.commit();
            assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> writer.write(bytes("x"), 0, 1)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Logs that only their owner may read stay so in an archive that nobody prepared. */
    @Test
    void letsNobodyElseLookIntoANewArchive() throws IOException {
        try (DirectoryStore store = open(directory.resolve("made/new"), true)) {
            assertThat(store.putIfAbsent("hosts/h/host", bytes("x"))).isTrue();
        }
        assertThat(mode("made")).isEqualTo("rwx------");
        assertThat(mode("made/new")).isEqualTo("rwx------");
        assertThat(mode("made/new/hosts/h")).isEqualTo("rwx------");
        assertThat(mode("made/new/hosts/h/host")).isEqualTo("rw-------");
    }

    /** Anybody who may look into the directory may read what is in it: that is how an archive is shared. */
    @ParameterizedTest
    @CsvSource({"rwxr-x---, rw-r-----", "rwxr-xr-x, rw-r--r--", "rwx------, rw-------"})
    void givesObjectsThePermissionsOfTheArchive(String archive, String object) throws IOException {
        Path shared = Files.createDirectory(directory.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString(archive));
        try (DirectoryStore store = open(shared, true)) {
            assertThat(store.putIfAbsent("hosts/h/host", bytes("x"))).isTrue();
        }
        assertThat(mode("shared/hosts/h")).isEqualTo(archive);
        assertThat(mode("shared/hosts/h/host")).isEqualTo(object);
    }

    private String mode(String name) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name)));
    }

    @Test
    void namesTheKnownAddresses() {
        assertThatThrownBy(() -> BlobStores.open("nope://bucket", true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("nope://")
                .hasMessageContaining("file:///path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "file:", "file://"})
    void anAddressWithoutAPathIsNotTheWorkingDirectory(String address) {
        assertThatThrownBy(() -> BlobStores.open(address, true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("has no path");
    }

    @Test
    void opensAddressesOfFiles() throws IOException {
        try (BlobStore store = BlobStores.open("file://" + directory.resolve("uri"), true)) {
            assertThat(store.name()).isEqualTo(directory.resolve("uri").toString());
        }
    }

    /** Large aligned pieces go past the page cache, and what follows through it: the bytes are the same. */
    @Test
    void keepsThePiecesOfALargeObjectInOrder() throws IOException {
        Path root = directory.resolve("large");
        byte[] expected = new byte[5_000_003];
        new Random(1).nextBytes(expected);
        long[] lengths = {1 << 20, 1_048_575, 1 << 19, 1, 1 << 20, 4096, 262_144 + 17, 700_000};
        try (DirectoryStore store = open(root, true);
                BlobWriter writer = store.create("key");
                Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(expected.length, 4096);
            MemorySegment.copy(expected, 0, bytes, ValueLayout.JAVA_BYTE, 0, expected.length);
            MemorySegment staging = arena.allocate(1 << 20, 4096);
            long at = 0;
            for (int i = 0; at < expected.length; i++) {
                long length = Math.min(lengths[i % lengths.length], expected.length - at);
                MemorySegment.copy(bytes, at, staging, 0, length);
                writer.write(staging, 0, length);
                at += length;
            }
            writer.commit();
        }
        assertThat(Files.readAllBytes(root.resolve("key"))).isEqualTo(expected);
    }
}
