package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A damaged log does not keep a shipper from continuing. */
@Tag("long")
class ContinuationTest {
    private static final int HEADER_BYTE = 60;

    @TempDir
    Path temp = Path.of("");

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        }
    }

    private static Path log(ShippedTree tree, String host) {
        return tree.archive.resolve("hosts/" + host + "/log");
    }

    private static List<Path> hosts(ShippedTree tree) throws IOException {
        return files(tree.archive.resolve("hosts"));
    }

    static String onlyHost(ShippedTree tree) throws IOException {
        assertThat(hosts(tree)).hasSize(1);
        return hosts(tree).getFirst().getFileName().toString();
    }

    static String otherHost(ShippedTree tree, String host) throws IOException {
        assertThat(hosts(tree)).hasSize(2);
        return hosts(tree).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> !name.equals(host))
                .findFirst()
                .orElseThrow();
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    private static BlobStore open(ShippedTree tree) throws IOException {
        return DirectoryStore.open(Pathname.of(tree.archive.toString()), false);
    }

    private static HostState load(ShippedTree tree, String host) throws IOException {
        try (BlobStore store = open(tree)) {
            return HostLog.load(store, host, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        }
    }

    private static FileVersion version(HostState state, Path file) {
        return Objects.requireNonNull(Objects.requireNonNull(state.names().find(Pathname.of(file.toString())))
                .version());
    }

    /** Returns what both hosts hold of a file together: the old one up to where the new one begins. */
    static byte[] together(ShippedTree tree, String damaged, String next, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (BlobStore store = open(tree)) {
            HostState old = Salvage.load(
                    store, damaged, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE, (object, cause, lost) -> {});
            HostState now = load(tree, next);
            FileVersion second = version(now, file);
            if (second.startPosition() > 0) {
                FileVersion first = Objects.requireNonNull(old.version(second.id()));
                copy(store, damaged, old, first, 0, second.startPosition(), bytes);
            }
            copy(store, next, now, second, second.startPosition(), second.length(), bytes);
        }
        return bytes.toByteArray();
    }

    private static void copy(
            BlobStore store,
            String host,
            HostState state,
            FileVersion version,
            long start,
            long end,
            ByteArrayOutputStream out)
            throws IOException {
        try (VersionContent content = new VersionContent(store, host, state)) {
            content.copy(
                    version, start, end, (position, piece) -> out.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    /** Ships a file that grows in each of several runs, beside one that rests. */
    private List<Path> grow(ShippedTree tree) throws IOException {
        Path grows = tree.file("grows.log");
        Path rests = tree.file("rests.log");
        Files.createSymbolicLink(tree.file("link"), Path.of("rests.log"));
        Files.createDirectory(tree.file("sub"));
        ShippedTree.append(rests, ShippedTree.random(5000, 1));
        ShippedTree.append(tree.file("sub/quiet.log"), ShippedTree.random(300, 2));
        for (int i = 0; i < 4; i++) {
            ShippedTree.append(grows, ShippedTree.random(1000, 10 + i));
            tree.drain();
        }
        return List.of(grows, rests, tree.file("sub/quiet.log"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 5, -1})
    void goesOnBehindAnyDamagedCommit(int which) throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String damaged = onlyHost(tree);
            List<Path> commits = files(log(tree, damaged));
            List<byte[]> before = new ArrayList<>();
            flip(which < 0 ? commits.getLast() : commits.get(which), HEADER_BYTE);
            for (Path commit : commits) {
                before.add(Files.readAllBytes(commit));
            }
            ShippedTree.append(all.getFirst(), ShippedTree.random(700, 99));
            tree.drain();
            assertThat(tree.problems).anyMatch(problem -> problem.contains("continues as host"));
            String next = otherHost(tree, damaged);
            for (Path file : all) {
                assertThat(together(tree, damaged, next, file)).as("%s", file).isEqualTo(Files.readAllBytes(file));
            }
            HostState now = load(tree, next);
            assertThat(now.names().find(Pathname.of(tree.file("link").toString())))
                    .isNotNull();
            if (which > 1) { // the first two commits have the file at rest
                FileVersion rests = version(now, all.get(1));
                assertThat(rests.startPosition()).isEqualTo(5000).isEqualTo(rests.length());
            }
            for (int i = 0; i < commits.size(); i++) { // nothing was written to the damaged one
                assertThat(commits.get(i)).hasBinaryContent(before.get(i));
            }
            assertThat(files(log(tree, damaged))).isEqualTo(commits);

            ShippedTree.append(all.getFirst(), ShippedTree.random(70, 100)); // and again, also without its state
            tree.drain();
            deleteRecursively(temp.resolve("state"));
            ShippedTree.append(all.getFirst(), ShippedTree.random(71, 101));
            tree.drain();
            assertThat(hosts(tree)).hasSize(2);
            for (Path file : all) {
                assertThat(together(tree, damaged, next, file)).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** Later commits repeat what a missing one said, but not the bytes that it held: those are in the files alone. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void shipsAgainWhatOnlyAMissingCommitHeld(int which) throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String damaged = onlyHost(tree);
            Files.delete(files(log(tree, damaged)).get(which));
            ShippedTree.append(all.getFirst(), ShippedTree.random(700, 99));
            tree.drain();
            String next = otherHost(tree, damaged);
            for (Path file : all) {
                assertThat(together(tree, damaged, next, file)).as("%s", file).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** A reader of the log sees nothing: the damage is behind the records, among the bytes of files. */
    @Test
    void shipsAgainWhatADamagedCommitHeld() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            ShippedTree.append(all.getFirst(), ShippedTree.random(3000, 99));
            tree.flush();
            String damaged = onlyHost(tree);
            Path commit = files(log(tree, damaged)).getLast();
            flip(commit, (int) Files.size(commit) - 2000);
            tree.shipper().requestDrain();
            assertThatThrownBy(() -> {
                        while (!tree.shipper().finished()) {
                            tree.shipper().doWork(5);
                        }
                    })
                    .isInstanceOf(DamagedLogException.class);
            tree.end();
            tree.drain();
            String next = otherHost(tree, damaged);
            for (Path file : all) {
                assertThat(together(tree, damaged, next, file)).as("%s", file).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    private static void put(String what, Path place) throws IOException {
        switch (what) {
            case "link" -> Files.createSymbolicLink(place, Path.of("/dev/zero"));
            case "directory" -> Files.createDirectory(place);
            default -> Program.ok("mkfifo", place.toString());
        }
    }

    /** Something that is no object has the name of a commit, or of the next one: as any other damage. */
    @ParameterizedTest
    @CsvSource({"link,3", "fifo,3", "directory,3", "link,-1", "fifo,-1", "directory,-1"})
    void goesOnBehindWhatIsNoCommit(String what, int which) throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String damaged = onlyHost(tree);
            List<Path> commits = files(log(tree, damaged));
            if (which < 0) {
                put(what, log(tree, damaged).resolve("%016d.zst".formatted(commits.size() + 1)));
            } else {
                Files.delete(commits.get(which));
                put(what, commits.get(which));
            }
            ShippedTree.append(all.getFirst(), ShippedTree.random(700, 99));
            tree.drain();
            assertThat(tree.problems).anyMatch(problem -> problem.contains("continues as host"));
            String next = otherHost(tree, damaged);
            for (Path file : all) {
                assertThat(together(tree, damaged, next, file)).as("%s", file).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** An owner record that is no file says nothing: the key of the name says whose the host is. */
    @ParameterizedTest
    @ValueSource(strings = {"link", "fifo", "directory"})
    void startsWithoutAnOwnerRecord(String what) throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String host = onlyHost(tree);
            Path record = tree.archive.resolve(ArchiveLayout.owner(host));
            Files.delete(record);
            put(what, record);
            ShippedTree.append(all.getFirst(), ShippedTree.random(700, 99));
            tree.drain();
            deleteRecursively(temp.resolve("state"));
            ShippedTree.append(all.getFirst(), ShippedTree.random(700, 100));
            tree.drain();
            assertThat(onlyHost(tree)).isEqualTo(host);
        }
    }

    /** Objects that name lost commits would seem to mean those written in their place: so another host begins. */
    @Test
    void writesNoSecondLogWhereTheFirstIsGone() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String gone = onlyHost(tree);
            try (BlobStore store = open(tree)) {
                new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0)
                        .put(store, gone, load(tree, gone).seq(), 1);
            }
            deleteRecursively(log(tree, gone));
            deleteRecursively(temp.resolve("state"));
            tree.drain();
            assertThat(tree.problems).anyMatch(problem -> problem.contains("it is missing, and all up to commit"));
            assertThat(log(tree, gone)).doesNotExist();
            String next = otherHost(tree, gone);
            for (Path file : all) {
                assertThat(together(tree, gone, next, file)).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** The same where only the end of the log is gone, and nothing but what a heartbeat says shows it. */
    @Test
    void writesNothingBehindALogWhoseAcknowledgedEndIsGone() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String gone = onlyHost(tree);
            long last = load(tree, gone).seq();
            try (BlobStore store = open(tree)) {
                new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, last)
                        .put(store, gone, 1, 1);
                store.delete(ArchiveLayout.commit(gone, last));
            }
            deleteRecursively(temp.resolve("state"));
            tree.drain();
            assertThat(tree.problems).anyMatch(problem -> problem.contains("it is missing, and so is a checkpoint"));
            String next = otherHost(tree, gone);
            for (Path file : all) {
                assertThat(together(tree, gone, next, file)).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** Where nothing but its owner record is left of a host, it is said that it begins at its first commit. */
    @Test
    void saysThatItBeginsAnew() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            grow(tree);
            String host = onlyHost(tree);
            deleteRecursively(log(tree, host));
            deleteRecursively(temp.resolve("state"));
            tree.drain();
            assertThat(onlyHost(tree)).isEqualTo(host);
            assertThat(tree.problems).anyMatch(problem -> problem.contains("and no commit of it"));
        }
    }

    /** The shipper reports unreadable bytes in the place of its next commit; another shipper then continues. */
    @Test
    void goesOnBehindACommitThatIsDamagedWhileItRuns() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            ModelClock clock = new ModelClock();
            tree.clock = clock;
            for (int i = 0; i < 50; i++) {
                clock.advance(500);
                tree.shipper().doWork(0);
            }
            String damaged = onlyHost(tree);
            long next = load(tree, damaged).seq() + 1;
            Files.writeString(tree.archive.resolve(ArchiveLayout.commit(damaged, next)), "not a commit");
            ShippedTree.append(all.getFirst(), ShippedTree.random(700, 99));
            Path gone = tree.file("gone");
            ShippedTree.append(gone, ShippedTree.random(50, 100));
            boolean[] removed = {false};
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1000; i++) {
                            clock.advance(1000);
                            tree.shipper().doWork(0);
                            if (!removed[0] && tree.problems.stream().anyMatch(each -> each.contains("refuses"))) {
                                Files.delete(gone);
                                removed[0] = true;
                            }
                        }
                    })
                    .isInstanceOf(DamagedLogException.class);
            assertThat(tree.problems).anyMatch(each -> each.contains("gone") && each.contains("its 50 bytes"));
            tree.end();
            tree.clock = Clock.systemUTC();
            tree.drain();
            String other = otherHost(tree, damaged);
            for (Path file : all) {
                assertThat(together(tree, damaged, other, file)).as("%s", file).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    static void deleteRecursively(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** The archive of an earlier day: what it lacks is shipped again, and nobody can think that nothing happened. */
    @Test
    void saysThatTheArchiveWasSetBack() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            tree.drain();
            List<Path> commits = files(log(tree, onlyHost(tree)));
            tree.drain();
            assertThat(tree.problems).isEmpty();
            int now = files(log(tree, onlyHost(tree))).size();
            for (Path commit : files(log(tree, onlyHost(tree))).subList(commits.size() / 2, now)) {
                Files.delete(commit);
            }
            tree.drain();
            assertThat(tree.problems)
                    .singleElement()
                    .asString()
                    .contains("ends at commit " + commits.size() / 2, "and " + now + " were acknowledged");
            tree.problems.clear();
            tree.drain();
            assertThat(tree.problems).isEmpty();
            String host = onlyHost(tree);
            for (Path file : all) {
                assertThat(together(tree, host, host, file)).as("%s", file).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** A file that was rewritten meanwhile is not gone on with: its bytes are compared with what the old host holds. */
    @Test
    void comparesBeforeItGoesOn() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String damaged = onlyHost(tree);
            flip(files(log(tree, damaged)).getLast(), HEADER_BYTE);
            byte[] other = ShippedTree.random(9000, 77);
            Files.write(all.get(1), other); // the same inode, and longer than it was
            tree.drain();
            String next = otherHost(tree, damaged);
            FileVersion version = version(load(tree, next), all.get(1));
            assertThat(version.startPosition()).isZero();
            assertThat(together(tree, damaged, next, all.get(1))).isEqualTo(other);
        }
    }

    /** Somebody removed the damaged host: what only that held is in the local files, and in no archive. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shipsAgainWhatTheHostHeldThatIsRemoved(boolean stateIsLost) throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String first = onlyHost(tree);
            flip(files(log(tree, first)).getLast(), HEADER_BYTE);
            ShippedTree.append(all.getFirst(), ShippedTree.random(71, 101));
            tree.drain();
            String second = otherHost(tree, first);
            deleteRecursively(tree.archive.resolve("hosts/" + first));
            if (stateIsLost) {
                deleteRecursively(temp.resolve("state"));
            }
            tree.drain();
            assertThat(tree.problems).anyMatch(line -> line.contains(first) && line.contains("continues as host"));
            if (Files.exists(tree.archive.resolve("hosts/" + first))) { // its owner record alone
                deleteRecursively(tree.archive.resolve("hosts/" + first));
            }
            String third = otherHost(tree, second);
            for (Path file : all) {
                assertThat(together(tree, third, third, file)).isEqualTo(Files.readAllBytes(file));
            }

            deleteRecursively(tree.archive.resolve("hosts/" + second)); // which nobody needs any longer
            ShippedTree.append(all.getFirst(), ShippedTree.random(50, 102));
            tree.drain();
            assertThat(onlyHost(tree)).isEqualTo(third);
            for (Path file : all) {
                assertThat(together(tree, third, third, file)).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    /** A shipper that was killed while it began the new host continues there, and ships nothing a second time. */
    @Test
    void mayBeKilledOnTheWay() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String damaged = onlyHost(tree);
            flip(files(log(tree, damaged)).get(4), HEADER_BYTE);
            tree.drain();
            String next = otherHost(tree, damaged);
            List<Path> commits = files(log(tree, next));
            for (int kept = 0; kept <= 2; kept++) {
                for (Path commit : commits.subList(kept, commits.size())) {
                    Files.deleteIfExists(commit);
                }
                tree.drain();
                for (Path file : all) {
                    assertThat(together(tree, damaged, next, file)).isEqualTo(Files.readAllBytes(file));
                }
                assertThat(version(load(tree, next), all.get(1)).startPosition())
                        .isEqualTo(5000);
                commits = files(log(tree, next));
            }
            assertThat(hosts(tree)).hasSize(2);
        }
    }

    /** The host that continues may be damaged, too. */
    @Test
    void goesOnAgain() throws IOException {
        try (ShippedTree tree = new ShippedTree(temp)) {
            List<Path> all = grow(tree);
            String first = onlyHost(tree);
            flip(files(log(tree, first)).get(2), HEADER_BYTE);
            tree.drain();
            String second = otherHost(tree, first);
            flip(files(log(tree, second)).getLast(), HEADER_BYTE);
            ShippedTree.append(all.getFirst(), ShippedTree.random(71, 101));
            tree.drain();
            assertThat(hosts(tree)).hasSize(3);
            try (BlobStore store = open(tree)) {
                List<HostRegistry.Owner> owners = HostRegistry.hosts(store);
                assertThat(owners).hasSize(3).allMatch(owner -> owner.name().equals("host"));
                assertThat(owners.stream().map(owner -> {
                            try {
                                return HostRegistry.continues(store, owner.id());
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        }))
                        .containsExactlyInAnyOrder("", first, second);
            }
        }
    }
}
