package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.PointInTime;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.TreeDiff;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A mount shows what programs do to files as the machine does: a mount that was there before shows it at once, and so
 * do mounts of past moments. (Every other fault scenario compares a mount of its archive too, see {@link Restored}.)
 */
@ExtendWith(FaultBench.Extension.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("e2e")
class MountFaultsTest {
    private static final List<String> STEPS = List.of(
            """
            mkdir -p logs/deep empty etc
            for i in 1 2 3; do seq $((i * 5000)) > logs/$i.log; echo conf $i > etc/$i.conf; done
            seq 3000 > logs/app.log; seq 9 > logs/deep/a; printf 'no newline' > etc/last""",
            "mv logs/app.log logs/app.log.1; seq 3001 6000 > logs/app.log; seq 7 >> logs/app.log.1",
            "cp logs/1.log logs/1.log.copy; : > logs/1.log; echo after >> logs/1.log",
            "seq 40000 40100 > logs/2.log; printf short > logs/3.log",
            "gzip logs/app.log.1; mv logs/app.log logs/app.log.1; seq 5 > logs/app.log",
            "mv logs/deep etc/deeper; mv etc archive; mkdir etc; echo new > etc/1.conf",
            "ln logs/2.log archive/hard; ln -s ../logs/2.log archive/soft; ln -sfn nowhere logs/dangling",
            "rm logs/3.log; echo again > logs/3.log; rm -r archive/deeper; chmod 600 logs/3.log; chmod 700 empty",
            "for f in logs/*.log; do seq 20000 21000 >> $f; done; rmdir empty; echo file > empty",
            "truncate -s 1M logs/hole; printf end >> logs/hole; touch -d 2020-02-02 etc/1.conf");

    private final List<Path> places = new ArrayList<>();

    @BeforeEach
    void check() {
        Requires.root();
        Requires.fuse();
    }

    @AfterEach
    void detach() {
        places.forEach(place -> Program.run(List.of("umount", "--lazy", place.toString())));
    }

    /** Returns the tree in a mount that a process serves. */
    private Path live(FaultBench bench) throws IOException {
        Path place = Files.createDirectories(bench.root().resolve("live"));
        places.add(place);
        String log = bench.root().resolve("mount.log").toString();
        Program program = bench.archive()
                .through()
                .run("mount", place.toString(), "--links-as-written", "--hide-gone", "--log", log);
        assertThat(program.exitCode()).as(program.err()).isZero();
        return below(place, bench);
    }

    private static Path below(Path mounted, FaultBench bench) {
        return mounted.resolve(FaultBench.HOST)
                .resolve(Path.of("/").relativize(bench.tree().toAbsolutePath()));
    }

    private static List<String> differences(Path expected, Path shown) {
        try {
            return TreeDiff.of(expected, shown, name -> !name.isEmpty());
        } catch (UncheckedIOException e) {
            return List.of("changed meanwhile: " + e.getMessage());
        }
    }

    @Test
    void everyMomentIsShown(FaultBench bench) throws IOException {
        ShipProcess ship = bench.ship().awaitSettled();
        Path live = live(bench);
        List<Long> times = new ArrayList<>();
        for (String step : STEPS) {
            Program.ok("sh", "-euc", "cd \"$0\"; " + step, bench.tree().toString());
            ship.awaitSettled();
            Await.until(
                    "the mount shows it", () -> differences(bench.tree(), live).isEmpty());
            Path moment = moment(bench, times.size());
            times.add(Clock.systemUTC().millis()); // of the same millisecond as no commit behind the copy
            Program.ok("cp", "-a", bench.tree().toString(), moment.toString());
        }
        ship.drain();
        for (int i = 0; i < times.size(); i++) {
            PointInTime at = PointInTime.time(times.get(i));
            try (MountedArchive mounted = new MountedArchive(bench.store(), List.of(), at)) {
                Path shown = below(mounted.directory(), bench);
                assertThat(differences(moment(bench, i), shown))
                        .as("after step %d", i)
                        .isEmpty();
                Program.ok("diff", "-r", "--no-dereference", moment(bench, i).toString(), shown.toString());
                assertThat(mounted.messages()).isEmpty();
            }
        }
        assertThat(bench.root().resolve("mount.log")).isEmptyFile();
    }

    private static Path moment(FaultBench bench, int step) {
        return bench.root().resolve("moment" + step);
    }
}
