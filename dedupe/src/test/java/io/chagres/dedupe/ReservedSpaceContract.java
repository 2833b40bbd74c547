package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Space that is only reserved is never given up, whatever stands on the other side. Files are drawn in pieces:
 * {@code d} is data, {@code z} are zeros that were written, {@code r} is reserved, {@code .} is a hole.
 */
abstract class ReservedSpaceContract extends OnDisk {
    private static final int PIECE = 65_536;
    private static final DedupeSession.Phases ALL = new DedupeSession.Phases(true, 16_384, 16_384);

    ReservedSpaceContract(String fileSystem, String options, String... mkfs) {
        super(fileSystem, options, mkfs);
    }

    private Path drawn(String name, String pieces) throws IOException {
        return drawn(name, pieces, (long) pieces.length() * PIECE);
    }

    private Path drawn(String name, String pieces, long size) throws IOException {
        Path path = top.resolve(name);
        try (Fd file = Fd.open(Pathname.of(path.toString()), Fd.O_RDWR | Fd.O_CREAT | Fd.O_EXCL, 0644);
                Arena arena = Arena.ofConfined()) {
            file.truncate(size);
            for (int i = 0; i < pieces.length(); i++) {
                long at = (long) i * PIECE;
                if (pieces.charAt(i) == 'r') {
                    assertThat(FileControl.allocate(file, FileControl.FALLOC_FL_KEEP_SIZE, at, PIECE))
                            .isZero();
                } else if (pieces.charAt(i) != '.') {
                    byte[] content = pieces.charAt(i) == 'd' ? random(i + 1, PIECE) : new byte[PIECE];
                    long length = Math.min(PIECE, size - at);
                    file.pwriteFully(arena.allocateFrom(ValueLayout.JAVA_BYTE, content), 0, length, at);
                }
            }
        }
        return path;
    }

    private List<Path> drawnAll(String drawing) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String pieces : drawing.split(" ")) {
            files.add(drawn("f" + files.size(), pieces));
        }
        sync();
        return files;
    }

    /** Runs, and proves that no content changed and no reservation went. */
    private Run run(DedupeOptions options) throws IOException {
        Map<String, String> contents = Contents.below(top);
        Map<Path, List<String>> reserved = Places.reservedBelow(top);
        Run run = new Run(options, top);
        assertThat(Contents.below(top)).isEqualTo(contents);
        assertThat(Places.reservedBelow(top)).isEqualTo(reserved);
        return run;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "d..d drrd",
                "drrd d..d",
                "dzzd drrd",
                "drrd drrd",
                "d.rd drzd dz.d",
                "drzd d.rd dzrd",
                "rd.. .d.r",
                "drrr dzrr drzr drrz",
                "drrd dzzd d..d drrd dzzd"
            })
    void theRestIsShared(String drawing) throws IOException {
        List<Path> files = drawnAll(drawing);
        String pieces = drawing.split(" ")[0];
        Run plan = run(DedupeOptions.DEFAULT.asDryRun(false));
        Run run = run(DedupeOptions.DEFAULT);
        for (Path file : files) {
            for (int i = 0; i < pieces.length(); i++) {
                if (pieces.charAt(i) == 'd') {
                    assertThat(Places.at(file, (long) i * PIECE))
                            .as("%s at %d", file, i)
                            .isEqualTo(Places.at(files.getFirst(), (long) i * PIECE));
                }
            }
        }
        assertThat(run.heard.skipped).isEmpty();
        assertThat(plan.heard.shared).isEqualTo(run.heard.shared).hasSize(files.size() - 1);
        assertThat(plan.count(Count.FREED_BYTES)).isEqualTo(run.count(Count.FREED_BYTES));
        Run again = run(DedupeOptions.DEFAULT);
        assertThat(again.count(Count.CALLS)).isZero();
        assertThat(again.heard.shared).isEmpty();
        assertThat(again.count(Count.ALREADY_SHARED)).isEqualTo(files.size() - 1);
    }

    @Test
    void whatIsToldIsWhatWasShared() throws IOException {
        drawn("a", "d..d");
        drawn("b", "drrd");
        sync();
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.shared).containsExactly("a b " + 2 * PIECE);
        assertThat(run.count(Count.SHARED_BYTES))
                .isEqualTo(run.count(Count.FREED_BYTES))
                .isEqualTo(2 * PIECE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "d..d drrd",
                "rrrr ....",
                "rrrr zzzz",
                "zzzz rrrr zzzz",
                "dzzd drrd dzzz",
                "zrzd zzrd",
                "dddd drrd d..d dzzd",
                "drdzdz drdrdz ddd"
            })
    void noPhaseGivesItUp(String drawing) throws IOException {
        drawnAll(drawing);
        Map<String, String> contents = Contents.below(top);
        Map<Path, List<String>> reserved = Places.reservedBelow(top);
        SessionRun run = new SessionRun(DedupeOptions.DEFAULT, ALL, false, top);
        assertThat(Contents.below(top)).isEqualTo(contents);
        assertThat(Places.reservedBelow(top)).as("%s", run).isEqualTo(reserved);
        assertThat(run.failed()).isEmpty();
        assertThat(new SessionRun(DedupeOptions.DEFAULT, ALL, false, top).changes())
                .isZero();
    }

    /** Reserved space that ends with the file within a block, goes beyond its end, or lies only there. */
    @Test
    void atTheEndOfAFile() throws IOException {
        long size = 4L * PIECE - 1000;
        Path a = drawn("a", "dd.d", size);
        Path b = drawn("b", "dd.d" + "rr", size);
        Path c = drawn("c", "ddrdr", size);
        drawn("e", "d..", 3L * PIECE - 1000);
        drawn("f", "d.r", 3L * PIECE - 1000);
        sync();
        Run run = run(DedupeOptions.DEFAULT);
        Places.areShared(a, b);
        assertThat(Places.at(c, 3L * PIECE)).isEqualTo(Places.at(a, 3L * PIECE));
        assertThat(run.heard.shared).hasSize(3);
        assertThat(run.heard.skipped).isEmpty();
    }

    /** The samples see the same, and the kernel compares only what is shared. */
    @Test
    void filesThatDifferOnlyThere() throws IOException {
        Path a = drawn("a", "drdddd");
        Path b = drawn("b", "dddddd");
        Path c = drawn("c", "d.dddd");
        sync();
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.shared).containsExactly("c a " + 5 * PIECE);
        assertThat(run.heard.skipped).containsExactly("b DIFFERENT");
        Places.areApart(a, b);
        assertThat(Places.at(c, 0)).isEqualTo(Places.at(a, 0));
    }

    /** Bytes written into reserved space that are not on the disk yet are data. */
    @Test
    void whatIsNotWrittenOutIsData() throws IOException {
        Path a = drawn("a", "drrd");
        Path b = drawn("b", "drrd");
        sync();
        for (Path file : List.of(a, b)) {
            try (Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0);
                    Arena arena = Arena.ofConfined()) {
                open.pwriteFully(arena.allocateFrom(ValueLayout.JAVA_BYTE, random(9, PIECE)), 0, PIECE, PIECE);
            }
        }
        Run run = new Run(DedupeOptions.DEFAULT, top);
        assertThat(run.heard.shared).containsExactly("a b " + 3 * PIECE);
        assertThat(Places.at(b, PIECE)).isEqualTo(Places.at(a, PIECE));
        assertThat(Places.reservedBelow(top).values()).allMatch(ranges -> ranges.size() == 1);
    }

    @Test
    void immutableFiles() throws IOException {
        Path a = drawn("a", "dzzd");
        Path fixed = drawn("b", "drrd");
        Path c = drawn("c", "dzzd");
        Path other = drawn("d", "dr.d");
        Program.ok("chattr", "+i", fixed.toString(), other.toString());
        sync();
        List<String> before = Places.of(fixed);
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.skipped).containsExactly("d FAILED EPERM");
        assertThat(Places.of(fixed)).isEqualTo(before);
        Places.areShared(a, c);
        assertThat(Places.at(a, 0)).isEqualTo(Places.at(fixed, 0));
        Run again = run(DedupeOptions.DEFAULT);
        assertThat(again.heard.skipped).isEqualTo(run.heard.skipped);
        assertThat(again.heard.shared).isEmpty();
    }

    /** Appending is all that such a file allows; its content and times stay, and so it may share. */
    @Test
    void filesForAppending() throws IOException {
        Path a = drawn("a", "dd");
        Path b = drawn("b", "dd");
        Program.ok("chattr", "+a", a.toString(), b.toString());
        sync();
        try {
            Run run = run(DedupeOptions.DEFAULT);
            assertThat(run.heard.skipped).isEmpty();
            Places.areShared(a, b);
        } finally {
            Program.ok("chattr", "-a", a.toString(), b.toString());
        }
    }

    /** An open asks the holder of a lease to give it back; the run does not wait for that. */
    @Test
    void aFileWithALease() throws Exception {
        Path leased = drawn("a", "dd");
        Path b = drawn("b", "dd");
        Path c = drawn("c", "dd");
        sync();
        Files.writeString(top.resolve("lease.py"), """
                import fcntl, os, signal, sys
                signal.signal(signal.SIGIO, signal.SIG_IGN)
                fd = os.open(sys.argv[1], os.O_RDONLY)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                print("held", flush=True)
                sys.stdin.read()
                """);
        Process holder = new ProcessBuilder("python3", top.resolve("lease.py").toString(), leased.toString()).start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("held");
            Run run = new Run(DedupeOptions.DEFAULT, top);
            assertThat(run.heard.skipped).containsExactly("a FAILED EAGAIN");
            Places.areShared(b, c);
        } finally {
            holder.getOutputStream().close();
            holder.waitFor();
        }
        assertThat(new Run(DedupeOptions.DEFAULT, top).heard.skipped).isEmpty();
        Places.areShared(leased, b);
    }
}
