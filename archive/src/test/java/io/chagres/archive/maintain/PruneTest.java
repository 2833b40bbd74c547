package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.archive.testing.Tables;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes, and everything that must stay. */
class PruneTest {
    private static final String TEXT = "what was written\n";

    @TempDir
    Path directory = Path.of("");

    private Path archive = Path.of("");
    private Path logs = Path.of("");
    private final List<String> removed = new ArrayList<>();
    private final Map<String, String> kept = new LinkedHashMap<>();
    private FaultyStore.Faults faults = FaultyStore.Faults.NONE;
    private Prune.Holders holders = (dev, ino) -> null;
    private Instant until = Clock.systemUTC().instant().plus(Duration.ofDays(1));

    @BeforeEach
    void makeDirectories() throws IOException {
        archive = directory.resolve("archive");
        logs = Files.createDirectory(directory.resolve("logs"));
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(logs.resolve(name), text);
    }

    /** Writes an archive of files, each with its text. */
    private void archived(Map<Path, String> files) {
        try (SmallArchive made = new SmallArchive(archive, "web1")) {
            files.forEach((path, text) -> {
                long version = made.file(path.toString());
                if (!text.isEmpty()) {
                    made.append(version, text);
                }
            });
            made.commit(1);
        }
    }

    private void prune(Path path) throws IOException {
        prune(path, false);
    }

    private void prune(Path path, boolean dryRun) throws IOException {
        try (BlobStore plain = BlobStores.open(archive.toString(), false);
                LocalTables tables = Tables.any();
                BlobStore store = new FaultyStore(plain, (operation, done) -> faults.at(operation, done))) {
            String host = HostRegistry.hosts(plain).getFirst().id();
            try (Prune prune = new Prune(
                    store,
                    host,
                    HostLog.replay(plain, host, tables, RunListener.NONE),
                    new Prune.Rules(until.toEpochMilli(), dryRun),
                    (dev, ino) -> holders.of(dev, ino),
                    new Listener())) {
                prune.below(Pathname.of(path.toString()));
            }
        }
    }

    private final class Listener implements Prune.Listener {
        @Override
        public void removed(Pathname path, long bytes) {
            removed.add(path.name() + " " + bytes);
        }

        @Override
        public void kept(Pathname path, String why) {
            kept.put(path.name().toString(), why);
        }
    }

    /** Something happens when the bytes are read back. */
    private void meanwhile(Thrower action) {
        boolean[] done = new boolean[1];
        faults = (operation, after) -> {
            if (operation.kind() == FaultyStore.Kind.GET && !after && !done[0]) {
                done[0] = true;
                action.run();
            }
        };
    }

    private interface Thrower {
        void run() throws IOException;
    }

    @Test
    void removesWhatTheArchiveHolds() throws IOException {
        Path deep = Files.createDirectory(logs.resolve("deep"));
        Path below = Files.writeString(deep.resolve("b"), TEXT);
        Path empty = file("empty", "");
        Path other = file("never-shipped", TEXT);
        archived(Map.of(file("a", TEXT), TEXT, below, TEXT, empty, ""));
        prune(logs);
        assertThat(removed).containsExactlyInAnyOrder("a 17", "b 17", "empty 0");
        assertThat(kept).containsOnlyKeys("never-shipped");
        assertThat(other).exists();
        assertThat(deep).exists().isEmptyDirectory();
    }

    @Test
    void removesOneFile() throws IOException {
        Path a = file("a", TEXT);
        archived(Map.of(a, TEXT, file("b", TEXT), TEXT));
        prune(a);
        assertThat(removed).containsExactly("a 17");
        assertThat(logs.resolve("b")).exists();
    }

    @Test
    void onlySaysWhatItWouldRemove() throws IOException {
        archived(Map.of(file("a", TEXT), TEXT));
        prune(logs, true);
        assertThat(removed).containsExactly("a 17");
        assertThat(logs.resolve("a")).exists();
    }

    @Test
    void keepsWhatIsYoung() throws IOException {
        Path a = file("a", TEXT);
        archived(Map.of(a, TEXT));
        Files.setLastModifiedTime(a, FileTime.from(Instant.EPOCH)); // the change time says that this was done
        until = Clock.systemUTC().instant().minus(Duration.ofHours(1));
        prune(logs);
        assertThat(removed).isEmpty();
        assertThat(kept.get("a")).contains("later");
    }

    @Test
    void keepsWhatTheArchiveHasDifferently() throws IOException {
        Path large = file("large", "x".repeat(100_000));
        archived(Map.of(
                file("longer", TEXT + "more\n"),
                TEXT,
                file("shorter", "w"),
                TEXT,
                file("other", TEXT.toUpperCase(Locale.ROOT)),
                TEXT,
                large,
                "x".repeat(99_999) + "y"));
        prune(logs);
        assertThat(removed).isEmpty();
        assertThat(kept.get("longer")).contains("17 of its 22 bytes");
        assertThat(kept.get("shorter")).isEqualTo("it has 1 of the 17 bytes that the archive has");
        assertThat(kept.get("other")).contains("other bytes");
        assertThat(kept.get("large")).contains("other bytes");
    }

    /** A sparse file is what it reads as. */
    @Test
    void comparesHoles() throws IOException {
        Path sparse = logs.resolve("sparse");
        try (RandomAccessFile hole = new RandomAccessFile(sparse.toString(), "rw")) {
            hole.setLength(5_000);
        }
        archived(Map.of(sparse, "\0".repeat(5_000)));
        prune(logs);
        assertThat(removed).containsExactly("sparse 5000");
    }

    @Test
    void keepsWhatHasAnotherNameInTheArchive() throws IOException {
        Path a = file("a", TEXT);
        archived(Map.of(a, TEXT));
        Files.move(a, logs.resolve("renamed"));
        prune(logs);
        assertThat(kept.get("renamed")).contains("no file of this name");
    }

    @Test
    void keepsWhatHasTwoNames() throws IOException {
        Path a = file("a", TEXT);
        archived(Map.of(a, TEXT));
        Files.createLink(logs.resolve("b"), a);
        prune(logs);
        assertThat(removed).isEmpty();
        assertThat(kept.get("a")).contains("2 names");
    }

    @Test
    void followsNoLink() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path a = Files.writeString(outside.resolve("a"), TEXT);
        Path link = Files.createSymbolicLink(logs.resolve("link"), a);
        Path folder = Files.createSymbolicLink(logs.resolve("folder"), outside);
        archived(Map.of(link, TEXT, folder.resolve("a"), TEXT, a, TEXT));
        prune(logs);
        assertThat(removed).isEmpty();
        assertThatThrownBy(() -> prune(folder.resolve("a")))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ELOOP));
        assertThat(a).exists();
    }

    @Test
    void keepsWhatIsOpen() throws IOException {
        Path written = file("written", TEXT);
        Path read = file("read", TEXT);
        archived(Map.of(written, TEXT, read, TEXT));
        long ino = (Long) Files.getAttribute(read, "unix:ino");
        holders = (dev, asked) -> asked == ino ? "process 7" : null;
        try (RandomAccessFile writer = new RandomAccessFile(written.toString(), "rw")) {
            prune(logs);
            assertThat(writer.length()).isEqualTo(17);
        }
        assertThat(removed).isEmpty();
        assertThat(kept.get("written")).contains("open for writing");
        assertThat(kept.get("read")).contains("process 7 has it open");
    }

    /** A program that wants to write waits, and is seen. */
    @Test
    void keepsWhatSomebodyOpensMeanwhile() throws IOException {
        Path a = file("a", TEXT);
        archived(Map.of(a, TEXT));
        meanwhile(() -> assertThat(Fd.tryOpen(Pathname.of(a.toString()), Fd.O_WRONLY | Fd.O_NONBLOCK, 0))
                .isEqualTo(-Errno.EAGAIN));
        prune(logs);
        assertThat(removed).isEmpty();
        assertThat(kept.get("a")).contains("opened it for writing meanwhile");
    }

    @Test
    void keepsWhatChangesMeanwhile() throws IOException {
        Path linked = file("linked", TEXT);
        archived(Map.of(linked, TEXT));
        meanwhile(() -> Files.createLink(logs.resolve("second"), linked));
        prune(linked);
        assertThat(kept.get("linked")).contains("changed meanwhile");
        assertThat(removed).isEmpty();
    }

    @Test
    void keepsWhatTakesTheNameMeanwhile() throws IOException {
        Path a = file("a", TEXT);
        Path fresh = Files.writeString(directory.resolve("fresh"), "what nobody shipped\n");
        archived(Map.of(a, TEXT));
        try (RandomAccessFile _ = new RandomAccessFile(a.toString(), "r")) { // its inode is not given to another
            meanwhile(() -> Files.move(fresh, a, StandardCopyOption.REPLACE_EXISTING));
            prune(a);
        }
        assertThat(removed).isEmpty();
        assertThat(kept).containsOnlyKeys("a");
        assertThat(a).hasContent("what nobody shipped\n");
    }

    @Test
    void keepsWhatALinkTakesTheNameOf() throws IOException {
        Path a = file("a", TEXT);
        Path aside = directory.resolve("aside");
        archived(Map.of(a, TEXT));
        meanwhile(() -> {
            Files.move(a, aside);
            Files.createSymbolicLink(a, aside);
        });
        prune(a);
        assertThat(removed).isEmpty();
        assertThat(aside).exists();
        assertThat(a).isSymbolicLink();
    }

    @Test
    void keepsWhatTheStoreDoesNotGive() throws IOException {
        archived(Map.of(file("a", TEXT), TEXT));
        faults = (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.GET) {
                throw new StoreException("403 InvalidObjectState", new IOException(), StoreException.Kind.ARCHIVED);
            }
        };
        prune(logs);
        assertThat(kept.get("a")).contains("does not give it", "InvalidObjectState");
        faults = (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.GET) {
                throw new StoreException("nobody answers", new IOException(), StoreException.Kind.SILENT);
            }
        };
        assertThatThrownBy(() -> prune(logs)).hasMessage("nobody answers");
        assertThat(logs.resolve("a")).exists();
    }

    @Test
    void knowsTheHostOfThisMachineAlone() throws IOException {
        archived(Map.of());
        try (BlobStore store = BlobStores.open(archive.toString(), false)) {
            String host = HostRegistry.hosts(store).getFirst().id();
            Machine own = new Machine("web1", "web1-machine", "", "boot", "6.0");
            assertThat(HostRegistry.ofMachine(store, "web1", own)).isEqualTo(host);
            assertThat(HostRegistry.ofMachine(store, "web2", own)).isNull();
            Machine other = new Machine("web1", "another-machine", "", "boot", "6.0");
            assertThat(HostRegistry.ofMachine(store, "web1", other)).isNull();
        }
    }
}
