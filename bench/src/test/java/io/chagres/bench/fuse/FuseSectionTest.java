package io.chagres.bench.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.bench.ShortSection;
import io.chagres.examples.MemoryFs;
import io.chagres.fuse.FuseServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the section fuse in its short form, and the soak for a moment: that they work, not what they measure. */
@Tag("e2e")
@Turn(value = 1, of = 4)
class FuseSectionTest {
    private static final String PEERS =
            "echo '#include <fuse3/fuse_lowlevel.h>' | gcc -E -DFUSE_USE_VERSION=312 -D_FILE_OFFSET_BITS=64 -"
                    + " && PATH=$PATH:/sbin ldconfig -p | grep -q libfuse.so.2";

    @TempDir
    Path directory;

    private Path mountPoint;

    @BeforeEach
    void needsFuse() throws IOException {
        Requires.fuse();
        Requires.tool("python3");
        Requires.tool("fusermount3");
        mountPoint = Files.createDirectories(directory.resolve("fuse/mnt"));
    }

    @AfterEach
    void leavesNothingMounted() {
        Program.run(List.of("fusermount3", "-u", "-z", mountPoint.toString()));
    }

    @Test
    void allServersAreMeasuredAndBecomeTables() {
        Requires.tool("gcc");
        Requires.tool("taskset");
        Requires.works(List.of("bash", "-c", PEERS));
        ShortSection.run(directory, "calls fuse", "fuseclient", """
                trap fuse_cleanup EXIT
                section_fuse
                """);

        Path results = directory.resolve("results");
        for (String server : List.of("ours", "libfuse-ll", "libfuse-hl", "libfuse-hl-threads", "jfuse", "jnr-fuse")) {
            assertThat(results.resolve("fuse.csv"))
                    .content()
                    .contains(server + ",same,0,plain,1,list:8,")
                    .contains(server + ",cross,1,plain,1,randwrite:4096,");
            assertThat(results.resolve("fuse_counts.csv")).content().contains(server + ",1,best,list:8,");
            assertThat(results.resolve("fuse_files.csv")).content().contains(server + ",0,plain,");
        }
        assertThat(results.resolve("fuse_list.md"))
                .content()
                .contains("| like for like, timeouts 0: ours against jfuse |");
        assertThat(results.resolve("fuse_requests.md"))
                .content()
                .contains("| list | timeouts 1 s, best mode | ours, /dev/fuse |");
        assertThat(results.resolve("fuse_list.svg")).content().endsWith("</svg>\n");
    }

    @Test
    void soakFindsNothingWrong() throws IOException {
        try (FuseServer server = FuseServer.mount(new MemoryFs(Clock.systemUTC()), mountPoint, MemoryFs.OPTIONS)) {
            String table = Program.ok(
                    "python3",
                    ShortSection.SOURCES.resolve("load/soak_fuse.py").toString(),
                    mountPoint.toString(),
                    "3",
                    String.valueOf(ProcessHandle.current().pid()),
                    directory.resolve("soak.csv").toString());

            assertThat(table).contains("| wrong | 0 | passed |");
            assertThat(server.statistics().failures()).isZero();
            assertThat(directory.resolve("soak.csv")).content().startsWith("second,rss_mb,");
        }
    }
}
