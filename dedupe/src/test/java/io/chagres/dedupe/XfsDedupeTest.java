package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** XFS. */
class XfsDedupeTest extends DedupeContract {
    XfsDedupeTest() {
        super("xfs", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1");
    }

    /** The kernel names no file when one of two is in use as swap space; it is not the fault of all that equal it. */
    @Test
    void aSwapFileKeepsNoOthersApart() throws IOException {
        Path swap = file("a-swap", random(30, 1 << 20));
        Program.ok("chmod", "600", swap.toString());
        Program.ok("mkswap", swap.toString());
        Path b = top.resolve("b");
        Path c = top.resolve("c");
        Program.ok("cp", "--reflink=never", swap.toString(), b.toString());
        Program.ok("cp", "--reflink=never", swap.toString(), c.toString());
        sync();
        Program.ok("swapon", swap.toString());
        try {
            Run run = run(DedupeOptions.DEFAULT);
            assertThat(run.heard.skipped).containsExactly("a-swap FAILED ETXTBSY");
            Places.areShared(b, c);
            Run again = run(DedupeOptions.DEFAULT);
            assertThat(again.heard.skipped).containsExactly("a-swap FAILED ETXTBSY");
            assertThat(again.count(Count.ALREADY_SHARED)).isEqualTo(1);
        } finally {
            Program.ok("swapoff", swap.toString());
        }
    }

    /** The kernel lets projects share, and nobody's quota sees it: each file takes what it took. */
    @Test
    void projects() throws IOException {
        Path a = file("a", random(35, 1 << 20));
        Path b = file("b", random(35, 1 << 20));
        Program.ok("xfs_io", "-c", "chproj 42", a.toString());
        Program.ok("xfs_io", "-c", "chproj 43", b.toString());
        sync();
        Object blocks = Program.ok("stat", "--format=%n %b", a.toString(), b.toString());
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.heard.skipped).isEmpty();
        Places.areShared(a, b);
        assertThat(Program.ok("stat", "--format=%n %b", a.toString(), b.toString()))
                .isEqualTo(blocks);
        assertThat(Program.ok("xfs_io", "-c", "lsproj", a.toString())).contains("42");
        assertThat(Program.ok("xfs_io", "-c", "lsproj", b.toString())).contains("43");
    }

    @Test
    void aSwapFileFailsOnceInAllPhases() throws IOException {
        byte[] content = random(33, 1 << 20);
        Arrays.fill(content, 8192, 300_000, (byte) 0);
        Path swap = file("a-swap", content);
        Program.ok("chmod", "600", swap.toString());
        Program.ok("mkswap", swap.toString());
        content = Files.readAllBytes(swap);
        Path b = file("b", content);
        Path c = file("c", content);
        content[600_000]++;
        Path d = file("d", content);
        sync();
        Program.ok("swapon", swap.toString());
        try {
            DedupeSession.Phases phases = new DedupeSession.Phases(true, 16_384, 16_384);
            SessionRun run = new SessionRun(DedupeOptions.DEFAULT, phases, false, top);
            assertThat(run.failed()).as(run.toString()).containsExactly(SessionRun.inode(swap) + " ETXTBSY");
            assertThat(run.count(Count.FAILED)).isEqualTo(1);
            Places.areShared(b, c);
            assertThat(Places.of(d)).as("%s", Places.of(b)).containsAnyElementsOf(Places.of(b));
            assertThat(new SessionRun(DedupeOptions.DEFAULT, phases, false, top).changes())
                    .isZero();
        } finally {
            Program.ok("swapoff", swap.toString());
        }
    }
}
