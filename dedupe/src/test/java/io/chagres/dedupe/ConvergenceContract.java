package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the files are: when a run ends there is nothing left for the next one, which changes nothing. */
abstract class ConvergenceContract extends OnDisk {
    private static final int TREES = 30;
    /** Writes of the kernel or file system itself come seldom; a run repeats its writes each time. */
    private static final int LOOKS = 3;

    ConvergenceContract(String fileSystem, String options, String... mkfs) {
        super(fileSystem, options, mkfs);
    }

    /** The options of runs. */
    private record Mode(DedupeOptions options, DedupeSession.Phases phases, boolean isFollowed) {}

    private Mode mode(RandomGenerator random, Path database) {
        int blockBytes = 4096 << random.nextInt(5);
        long minExtentBytes = random.nextInt(4) == 0 ? 1 : (long) blockBytes << random.nextInt(3);
        DedupeSession.Phases phases =
                new DedupeSession.Phases(random.nextBoolean(), random.nextInt(3) > 0 ? blockBytes : 0, minExtentBytes);
        long minSizeBytes = random.nextInt(4) == 0 ? random.nextInt(1, 70_000) : 1;
        DedupeOptions options =
                new DedupeOptions(minSizeBytes, List.of(), List.of(), false, random.nextBoolean(), false, false, null);
        boolean remembers = random.nextInt(3) == 0;
        return new Mode(
                remembers ? options.withDatabase(Pathname.of(database.toString())) : options,
                phases,
                random.nextInt(4) == 0);
    }

    @Test
    void aSecondRunChangesNothing() throws IOException {
        long seed = Seeds.next("aSecondRunChangesNothing " + fileSystem);
        for (int tree : Share.of(TREES)) {
            secondRunOf(seed + tree);
        }
    }

    /**
     * A database that was closed while files were followed; zeros shared again; a database, and the disk, written; a
     * file with reserved space that shared its beginning with one that is not like it.
     */
    @ParameterizedTest
    @ValueSource(longs = {1000, 2000, 4000, 5000, 653480684358537809L})
    void aSecondRunThatOnceChangedSomething(long seed) throws IOException {
        for (int tree = 0; tree < 2; tree++) {
            secondRunOf(seed + tree);
        }
    }

    private void secondRunOf(long seed) throws IOException {
        RandomGenerator random = Seeds.random(seed);
        Path database = Files.createTempDirectory("dedupe").resolve("db");
        Mode mode = mode(random, database);
        new RandomTree(top, random, fileSystem).make();
        sync();
        Map<String, String> contents = Contents.below(top);
        Map<Path, List<String>> reserved = Places.reservedBelow(top);
        Map<Path, Long> bytes = Places.bytesBelow(top);
        SessionRun first = new SessionRun(mode.options, mode.phases, mode.isFollowed, top);
        String what = "seed " + seed + ", " + mode + "\nfirst: " + first;
        assertThat(Contents.below(top)).as(what).isEqualTo(contents);
        assertThat(Places.reservedBelow(top)).as(what).isEqualTo(reserved);
        Places.bytesBelow(top).forEach((file, taken) -> assertThat(taken)
                .as("quotas count all of: %s, %s", file, what)
                .isLessThanOrEqualTo(bytes.get(file)));
        if (!mode.isFollowed) { // which looks at all twice
            assertThat(first.failed()).as(what).doesNotHaveDuplicates();
        }
        assertThat(first.count(Count.FAILED)).as(what).isEqualTo(first.failed().size());
        Map<Path, List<String>> places = Places.below(top);
        String remembered = identity(database);
        for (int look = 1; ; look++) {
            sync();
            long writes = disk.writes();
            SessionRun again = new SessionRun(mode.options, mode.phases, mode.isFollowed, top);
            sync();
            long written = disk.writes() - writes;
            String both = what + "\nagain: " + again;
            assertThat(again.changes()).as(both).isZero();
            assertThat(again.failed()).as(both).containsExactlyInAnyOrderElementsOf(first.failed());
            assertThat(Places.below(top)).as(both).isEqualTo(places);
            assertThat(identity(database)).as(both).isEqualTo(remembered);
            if (written == 0) {
                break;
            }
            assertThat(look).as("%d writes of the disk; %s", written, both).isLessThan(LOOKS);
        }
        if (first.failed().isEmpty()) {
            SessionRun plan = new SessionRun(mode.options.asDryRun(false), mode.phases, false, top);
            assertThat(plan.changes()).as(what + "\nplan: " + plan).isZero();
        }
        clean();
        Files.createDirectory(top);
        Files.deleteIfExists(database);
        Files.delete(database.getParent());
    }

    /** Changes whenever a file is written or replaced. */
    private static String identity(Path file) throws IOException {
        return Files.exists(file)
                ? Files.readAttributes(file, "unix:ino,lastModifiedTime").toString()
                : "absent";
    }
}
