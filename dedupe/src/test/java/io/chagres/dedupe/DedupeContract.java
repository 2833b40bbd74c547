package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The promises on every file system that can share blocks. */
abstract class DedupeContract extends OnDisk {
    private static final int MIB = 1 << 20;
    /** A thread for each task, so that all work at once. */
    private static final Executor TASK = task -> Thread.ofPlatform().start(task);

    DedupeContract(String fileSystem, String options, String... mkfs) {
        super(fileSystem, options, mkfs);
    }

    /** Runs and proves that no content changed. */
    Run run(DedupeOptions runOptions) throws IOException {
        sync();
        Map<String, String> before = Contents.below(top);
        Run run = new Run(runOptions, top);
        assertThat(Contents.below(top)).isEqualTo(before);
        return run;
    }

    @Test
    void equalFilesShareTheirBlocks() throws IOException {
        byte[] content = random(1, 5 * MIB);
        Path a = file("a", content);
        Path b = file("b", content);
        Path c = file("c", content);
        Path d = file("d", random(2, 5 * MIB));
        FileTime time = FileTime.fromMillis(1_234_567_890_123L);
        Files.setLastModifiedTime(b, time);
        Object changed = Files.getAttribute(b, "unix:ctime");
        Run run = run(DedupeOptions.DEFAULT);
        Places.areShared(a, b, c);
        Places.areApart(a, d);
        assertThat(run.count(Count.SHARED_FILES)).isEqualTo(2);
        assertThat(run.count(Count.FREED_BYTES)).isEqualTo(10 * MIB);
        assertThat(Files.getLastModifiedTime(b)).isEqualTo(time);
        assertThat(Files.getAttribute(b, "unix:ctime")).isEqualTo(changed);
        assertThat(run.heard.skipped).isEmpty();
    }

    @Test
    void whatIsSharedIsNotReadAgain() throws IOException {
        for (int i = 0; i < 20; i++) {
            file("file" + i, random(i % 2, 100_000));
        }
        assertThat(run(DedupeOptions.DEFAULT).count(Count.SHARED_FILES)).isEqualTo(18);
        Run again = run(DedupeOptions.DEFAULT);
        assertThat(again.count(Count.ALREADY_SHARED)).isEqualTo(18);
        assertThat(again.count(Count.CALLS)).isZero();
        Files.delete(top.resolve("file0"));
        for (int i = 1; i < 20; i += 2) {
            Files.delete(top.resolve("file" + i));
        }
        Run alone = run(DedupeOptions.DEFAULT);
        assertThat(alone.count(Count.READ_BYTES)).isZero();
        assertThat(alone.count(Count.ALREADY_SHARED)).isEqualTo(8);
    }

    @Test
    void moreCopiesThanFitIntoACall() throws IOException {
        Path[] files = new Path[300];
        for (int i = 0; i < files.length; i++) {
            files[i] = file("file" + i, random(7, 40_000));
        }
        assertThat(run(DedupeOptions.DEFAULT).count(Count.SHARED_FILES)).isEqualTo(299);
        Places.areShared(files);
    }

    @Test
    void sizesThatAreNoMultiplesOfABlock() throws IOException {
        for (int size : new int[] {4095, 4096, 4097, 16 * MIB - 1, 16 * MIB + 5, 33 * MIB + 4096}) {
            Path a = file("a" + size, random(size, size));
            Path b = file("b" + size, random(size, size));
            Run run = run(DedupeOptions.DEFAULT);
            assertThat(run.count(Count.FAILED)).as("size %d", size).isZero();
            Places.areShared(a, b);
            Files.delete(a);
            Files.delete(b);
        }
    }

    @Test
    void contentsThatSamplesDoNotTellApart() throws IOException {
        Path[][] sets = new Path[3][4];
        for (int set = 0; set < 3; set++) {
            byte[] content = random(3, MIB);
            content[100_000] = (byte) set;
            for (int i = 0; i < 4; i++) {
                sets[set][i] = file("set" + set + "file" + i, content);
            }
        }
        byte[] last = random(3, MIB);
        last[MIB - 1]++;
        file("last", last);
        Run run = run(DedupeOptions.DEFAULT);
        for (Path[] set : sets) {
            Places.areShared(set);
        }
        assertThat(run.count(Count.SHARED_FILES)).isEqualTo(9);
        assertThat(run.count(Count.FAILED)).isZero();
    }

    @Test
    void aDryRunSaysExactlyWhatWouldBeFreed() throws IOException {
        byte[] content = random(4, 3 * MIB + 100);
        file("a", content);
        file("b", content);
        Program.ok(
                "cp",
                "--reflink=always",
                top.resolve("b").toString(),
                top.resolve("c").toString());
        content[MIB + 77]++;
        file("d", content);
        Run plan = run(DedupeOptions.DEFAULT.asDryRun(false));
        assertThat(plan.count(Count.CALLS)).isZero();
        Run verified = run(DedupeOptions.DEFAULT.asDryRun(true));
        Run real = run(DedupeOptions.DEFAULT);
        assertThat(plan.count(Count.FREED_BYTES))
                .isEqualTo(verified.count(Count.FREED_BYTES))
                .isEqualTo(real.count(Count.FREED_BYTES))
                .isEqualTo(3 * MIB + 4096);
        assertThat(plan.heard.shared).hasSize(1).isEqualTo(real.heard.shared);
        assertThat(real.count(Count.ALREADY_SHARED)).isEqualTo(1);
    }

    @Test
    void reflinksOfTwoOriginals() throws IOException {
        Path a = file("a", random(5, MIB));
        Path b = file("b", random(5, MIB));
        Program.ok("cp", "--reflink=always", a.toString(), top.resolve("a2").toString());
        Program.ok("cp", "--reflink=always", a.toString(), top.resolve("a3").toString());
        Program.ok("cp", "--reflink=always", b.toString(), top.resolve("b2").toString());
        Run run = run(DedupeOptions.DEFAULT);
        Places.areShared(a, b, top.resolve("a2"), top.resolve("a3"), top.resolve("b2"));
        assertThat(run.count(Count.SHARED_FILES)).as("the smaller set moves").isEqualTo(2);
        assertThat(run.count(Count.FREED_BYTES)).isEqualTo(MIB);
    }

    @Test
    void hardAndSymbolicLinks() throws IOException {
        Path a = file("a", random(6, MIB));
        Files.createLink(top.resolve("b"), a);
        Files.createSymbolicLink(top.resolve("c"), a);
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.count(Count.HARD_LINKS)).isEqualTo(1);
        assertThat(run.count(Count.FILES)).isEqualTo(2);
        assertThat(run.count(Count.CALLS)).isZero();
    }

    @Test
    void holesAreTheBestSource() throws IOException {
        Path zeros = file("zeros", new byte[4 * MIB]);
        Path hole = top.resolve("hole");
        try (RandomAccessFile file = new RandomAccessFile(hole.toFile(), "rw")) {
            file.setLength(4 * MIB);
        }
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(Places.of(zeros)).isEmpty();
        assertThat(Places.of(hole)).isEmpty();
        assertThat(run.count(Count.FREED_BYTES)).isGreaterThan(0);
    }

    @Test
    void sparseFiles() throws IOException {
        Path a = sparse("a");
        Path b = sparse("b");
        assertThat(run(DedupeOptions.DEFAULT).count(Count.SHARED_FILES)).isEqualTo(1);
        Places.areShared(a, b);
    }

    private Path sparse(String name) throws IOException {
        Path path = top.resolve(name);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.write(random(8, 70_000));
            file.seek(3 * MIB);
            file.write(random(9, 70_001));
            file.setLength(5 * MIB + 3);
        }
        return path;
    }

    @Test
    void pathsLongerThanACallTakes() throws IOException {
        byte[] content = random(8, MIB);
        Path flat = file("flat", content);
        String name = "d".repeat(250);
        Fd at = Fd.open(Pathname.of(top.toString()), Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        for (int length = 0; length < 2 * Pathname.PATH_MAX; length += name.length()) {
            try (Directory above = Directory.of(at)) {
                above.mkdir(Pathname.of(name), 0700);
                at = Fd.openAt(above.fd(), Pathname.of(name), Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
            }
        }
        try (Fd directory = at;
                Fd deep = Fd.openAt(directory, Pathname.of("deep"), Fd.O_RDWR | Fd.O_CREAT, 0600)) {
            Path reached = Path.of("/proc/self/fd/" + deep.value());
            Files.write(reached, content);
            sync();
            Run run = new Run(DedupeOptions.DEFAULT, top);
            assertThat(run.heard.skipped).isEmpty();
            assertThat(run.count(Count.SHARED_FILES)).isEqualTo(1);
            Places.areShared(flat, reached);
            assertThat(reached).hasBinaryContent(content);
        }
    }

    /** They can only be sources; one of them is, so that all others share with it. */
    @Test
    void immutableFilesStayWhereTheyAre() throws IOException {
        Path a = file("a", random(10, MIB));
        Program.ok("cp", "--reflink=always", a.toString(), top.resolve("a2").toString());
        Path fixed = file("fixed", random(10, MIB));
        Path other = file("other", random(10, MIB));
        Program.ok("chattr", "+i", fixed.toString());
        sync();
        List<String> places = Places.of(fixed);
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.skipped).isEmpty();
        assertThat(Places.of(fixed)).isEqualTo(places);
        Places.areShared(a, fixed, other, top.resolve("a2"));
        Path second = file("second", random(10, MIB));
        Program.ok("chattr", "+i", second.toString());
        assertThat(run(DedupeOptions.DEFAULT).heard.skipped).containsExactly("second FAILED EPERM");
        assertThat(run(DedupeOptions.DEFAULT).count(Count.ALREADY_SHARED)).isEqualTo(3);
        Places.areApart(a, second);
        Places.areShared(a, fixed, other);
    }

    @Test
    void immutableFilesThatOnlySeemEqual() throws IOException {
        byte[] content = random(10, MIB);
        Path a = file("a", content);
        Path b = file("b", content);
        content[100_000]++;
        Path fixed = file("c", content);
        Path d = file("d", content);
        Program.ok("chattr", "+i", fixed.toString());
        assertThat(run(DedupeOptions.DEFAULT).heard.skipped).noneMatch(line -> line.contains("FAILED"));
        Places.areShared(a, b);
        Places.areShared(fixed, d);
        Places.areApart(a, d);
    }

    @Test
    void aReadOnlyFileSystemIsLeftAlone() throws IOException {
        Path a = file("a", random(11, MIB));
        Path b = file("b", random(11, MIB));
        sync();
        disk.remount("ro");
        try {
            Run run = run(DedupeOptions.DEFAULT);
            assertThat(run.heard.skipped).hasSize(1).allMatch(skipped -> skipped.matches("[ab] FAILED EROFS"));
            Places.areApart(a, b);
        } finally {
            disk.remount("rw");
        }
    }

    @Test
    void aFullDiskGetsRoom() throws IOException {
        Path a = file("a", random(40, 4 * MIB));
        Path b = file("b", random(40, 4 * MIB));
        sync();
        Path filler = Files.createDirectory(disk.directory().resolve("filler"));
        try {
            Program.ok("sh", "-c", """
                    for size in 256M 64M 16M 4M 1M 256K 64K 16K 4K; do
                        while fallocate --length $size "$0/$((n += 1))" 2>/dev/null; do :; done
                    done""", filler.toString());
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> file("late", random(41, MIB)));
            Files.deleteIfExists(top.resolve("late"));
            Run run = run(DedupeOptions.DEFAULT);
            assertThat(run.heard.skipped).isEmpty();
            Places.areShared(a, b);
            sync(); // btrfs has the room after it
            assertThat(file("late", random(41, MIB))).hasBinaryContent(random(41, MIB));
        } finally {
            Program.ok("rm", "-rf", filler.toString());
        }
    }

    @Test
    void filesThatChangeMeanwhile() throws IOException {
        Path a = file("a", random(11, MIB));
        Path b = file("b", random(11, MIB));
        Path c = file("c", random(11, MIB));
        Path d = file("d", random(11, MIB));
        sync();
        Run run = new Run(
                DedupeOptions.DEFAULT,
                () -> {
                    try {
                        Files.write(b, random(12, MIB + 1));
                        Files.delete(c);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                top);
        Places.areShared(a, d);
        assertThat(Files.readAllBytes(b)).isEqualTo(random(12, MIB + 1));
        assertThat(run.count(Count.CHANGED) + run.count(Count.DIFFERENT)).isGreaterThanOrEqualTo(1);
        assertThat(run.count(Count.FAILED)).isZero();
    }

    @Test
    void writersAtWork() throws Exception {
        long seed = Seeds.next("writersAtWork " + fileSystem);
        byte[] first = random((int) seed, 2 * MIB);
        Path a = file("a", first);
        Path b = file("b", first);
        byte[] ofA = first.clone();
        byte[] ofB = first.clone();
        Writing writing = new Writing(seed);
        Thread.Builder threads = Thread.ofPlatform();
        Thread writerA = threads.start(() -> writing.mutate(a, ofA));
        Thread writerB = threads.start(() -> writing.mutate(b, ofB));
        try {
            for (int i = 0; i < 40; i++) {
                new Run(DedupeOptions.DEFAULT, top);
            }
        } finally {
            writing.stop();
            writerA.join();
            writerB.join();
        }
        assertThat(Arrays.equals(Files.readAllBytes(a), ofA))
                .as("a is what its writer wrote")
                .isTrue();
        assertThat(Arrays.equals(Files.readAllBytes(b), ofB))
                .as("b is what its writer wrote")
                .isTrue();
    }

    @Test
    void aDatabaseSparesTheSecondRun() throws IOException {
        Path database = top.resolveSibling("database" + tests);
        DedupeOptions remembering = DedupeOptions.DEFAULT.withDatabase(Pathname.of(database.toString()));
        Path a = file("a", random(13, 50_000));
        Path b = file("b", random(13, 50_000));
        Path c = file("c", random(14, 50_000));
        assertThat(run(remembering).count(Count.SHARED_FILES)).isEqualTo(1);
        Run again = run(remembering);
        assertThat(again.count(Count.KNOWN)).isEqualTo(3);
        assertThat(again.count(Count.READ_BYTES)).isZero();
        Path d = file("d", random(14, 50_000));
        Run third = run(remembering);
        assertThat(third.heard.shared).hasSize(1);
        assertThat(third.count(Count.READ_BYTES)).as("of the new file").isEqualTo(3 * 4096 - 3248);
        Places.areShared(c, d);
        Places.areShared(a, b);
        Files.write(a, random(14, 50_000));
        assertThat(run(remembering).count(Count.SHARED_FILES)).isEqualTo(1);
        Places.areShared(a, c, d);
    }

    private Run all(Function<Dedupe, DedupeWorker> maker) throws IOException {
        sync();
        Map<String, String> before = Contents.below(top);
        Run run = new Run(DedupeOptions.DEFAULT, () -> {}, maker, top);
        assertThat(Contents.below(top)).isEqualTo(before);
        return run;
    }

    @Test
    void blocksOfZerosBecomeHoles() throws IOException {
        byte[] content = random(15, 4 * MIB + 100);
        Arrays.fill(content, 65_536, 3 * MIB, (byte) 0);
        Arrays.fill(content, 4 * MIB - 8192, content.length, (byte) 0);
        Path a = file("a", content);
        Path zeros = file("zeros", new byte[17 * MIB + 5]);
        Run run = all(Dedupe::zeroWorker);
        assertThat(run.heard.skipped).isEmpty();
        assertThat(Places.of(zeros)).isEmpty();
        assertThat(Places.bytesOf(a)).isEqualTo(65_536 + MIB - 8192);
        assertThat(run.count(Count.ZERO_BYTES)).isEqualTo(20 * MIB - 65_536 + 8192 + 105);
        assertThat(all(Dedupe::zeroWorker).count(Count.CALLS)).isZero();
    }

    @Test
    void equalRangesWithinDifferentFiles() throws IOException {
        byte[] common = random(16, 2 * MIB);
        byte[] a = random(17, 3 * MIB);
        byte[] b = random(18, 4 * MIB + 77);
        System.arraycopy(common, 0, a, 65_536, common.length);
        System.arraycopy(common, 0, b, MIB, common.length);
        System.arraycopy(a, 3 * MIB - 131_072, b, 131_072, 65_536);
        file("a", a);
        file("b", b);
        Run run = all(dedupe -> dedupe.blockWorker(16_384, 65_536));
        assertThat(run.heard.ranges)
                .containsExactlyInAnyOrder("a 65536 b 1048576 2097152", "a " + (3 * MIB - 131_072) + " b 131072 65536");
        assertThat(run.count(Count.SHARED_BYTES)).isEqualTo(2 * MIB + 65_536);
        Run again = all(dedupe -> dedupe.blockWorker(16_384, 65_536));
        assertThat(again.count(Count.CALLS)).isZero();
        assertThat(all(dedupe -> dedupe.blockWorker(4096, 16L * MIB)).heard.ranges)
                .isEmpty();
    }

    /** The files that lie where one does that is moved must follow it, or they keep its old blocks. */
    @Test
    void equalFilesFollowTheOneWhoseRangesAreShared() throws IOException {
        byte[] content = random(19, 4 * MIB);
        file("x", content);
        content[2 * MIB + 5]++;
        List<Path> others = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            others.add(file("y" + i, content));
        }
        Function<Dedupe, DedupeWorker> blocks = dedupe -> dedupe.blockWorker(16_384, 65_536);
        assertThat(all(Dedupe::worker).count(Count.SHARED_FILES)).isEqualTo(3);
        Run dry = new Run(DedupeOptions.DEFAULT.asDryRun(false), () -> {}, blocks, top);
        assertThat(dry.count(Count.FREED_BYTES)).isEqualTo(4 * MIB - 16_384);
        Run run = all(blocks);
        assertThat(run.heard.skipped).isEmpty();
        // An extent of btrfs frees nothing while a part of it is in use.
        assertThat(run.count(Count.FREED_BYTES)).isEqualTo(fileSystem.equals("btrfs") ? 0 : 4 * MIB - 16_384);
        Places.areShared(others.toArray(Path[]::new));
        assertThat(Places.distinctBytesOf(top)).isEqualTo(4 * MIB + 16_384);
        changesNothing(Dedupe::worker);
        changesNothing(blocks);
    }

    private void changesNothing(Function<Dedupe, DedupeWorker> phase) throws IOException {
        Map<Path, List<String>> before = Places.below(top);
        Run run = all(phase);
        assertThat(run.count(Count.SHARED_FILES) + run.count(Count.EXTENTS) + run.count(Count.ZERO_BYTES))
                .as("shared once more: %s %s %s", run.heard.shared, run.heard.ranges, before)
                .isZero();
        assertThat(run.count(Count.FREED_BYTES)).isZero();
        assertThat(Places.below(top)).isEqualTo(before);
    }

    @Test
    void aStoppedRunIsGoneOnWith() throws IOException {
        for (int i = 0; i < 10; i++) {
            file("a" + i, random(i, 10_000 + i));
            file("b" + i, random(i, 10_000 + i));
        }
        sync();
        Pathname database = Pathname.of(top.resolveSibling("stopped" + tests).toString());
        DedupeOptions remembering = DedupeOptions.DEFAULT.withDatabase(database);
        try (Dedupe dedupe = new Dedupe(remembering, Run.LATER, new Heard())) {
            dedupe.add(Pathname.of(top.toString()));
            Run.toTheEnd(dedupe.scanWorker());
            dedupe.plan();
            try (DedupeWorker worker = dedupe.worker()) {
                assertThat(worker.step()).isTrue();
                assertThat(worker.step()).isTrue();
                dedupe.stop();
                assertThat(worker.step()).isFalse();
            }
            dedupe.save();
            assertThat(dedupe.totals().get(Count.SHARED_FILES)).isEqualTo(2);
        }
        Run rest = run(remembering);
        assertThat(rest.count(Count.KNOWN)).isEqualTo(4);
        assertThat(rest.count(Count.SHARED_FILES)).isEqualTo(8);
    }

    @Test
    void whatIsToldOfChangesIsEnough() throws IOException {
        file("a", random(22, 100_000));
        sync();
        Heard heard = new Heard();
        try (Dedupe dedupe = new Dedupe(DedupeOptions.DEFAULT, Run.LATER, heard, true)) {
            dedupe.add(Pathname.of(top.toString()));
            Run.toTheEnd(dedupe.scanWorker());
            step(dedupe);
            Files.createDirectory(top.resolve("new"));
            Path b = file("new/b", random(22, 100_000));
            dedupe.changed(Pathname.of(b.toString()));
            step(dedupe);
            assertThat(heard.shared).containsExactly("a b 100000");
            file("a", random(23, 100_000));
            dedupe.changed(Pathname.of(top.resolve("a").toString()));
            file("c", random(23, 100_000));
            dedupe.changed(Pathname.of(top.resolve("c").toString()));
            dedupe.changed(Pathname.of(top.resolve("absent").toString()));
            dedupe.changed(Pathname.of("/elsewhere"));
            step(dedupe);
            assertThat(heard.shared).containsExactlyInAnyOrder("a b 100000", heard.shared.getLast());
            Places.areShared(top.resolve("a"), top.resolve("c"));
            Places.areApart(top.resolve("a"), b);
        }
    }

    @Test
    void workersHelpEachOther() throws IOException {
        Path[] files = new Path[1200];
        for (int i = 0; i < files.length; i++) {
            files[i] = file("file" + i, random(24, MIB / 8 + 1));
        }
        sync();
        Map<String, String> before = Contents.below(top);
        DedupeTotals totals = together();
        Places.areShared(files);
        assertThat(Contents.below(top)).isEqualTo(before);
        assertThat(totals.get(Count.SHARED_FILES)).isEqualTo(1199);
        assertThat(totals.get(Count.FREED_BYTES)).isEqualTo(1199L * (MIB / 8 + 4096));
        assertThat(totals.get(Count.DONE_BYTES)).isEqualTo(totals.get(Count.CANDIDATE_BYTES));
        DedupeTotals again = together();
        assertThat(again.get(Count.ALREADY_SHARED)).isEqualTo(1199);
        assertThat(again.get(Count.CALLS) + again.get(Count.READ_BYTES)).isZero();
    }

    /** Runs with three threads in each phase. */
    private DedupeTotals together() throws IOException {
        try (Dedupe dedupe = new Dedupe(DedupeOptions.DEFAULT, Run.LATER, new Heard())) {
            dedupe.add(Pathname.of(top.toString()));
            together(dedupe::scanWorker);
            dedupe.plan();
            together(dedupe::worker);
            return dedupe.totals();
        }
    }

    private static void together(Supplier<DedupeWorker> maker) {
        CompletableFuture.allOf(Stream.generate(() -> CompletableFuture.runAsync(() -> Run.toTheEnd(maker.get()), TASK))
                        .limit(3)
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    private static void step(Dedupe dedupe) {
        dedupe.plan();
        Run.toTheEnd(dedupe.worker());
    }
}
