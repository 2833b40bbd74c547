package io.chagres.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Requires;
import io.chagres.testkit.Turn;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the section dedupe in a form shorter than short: that it works, not what it measures. */
@Tag("e2e")
@Turn(value = 0, of = 4)
class DedupeSectionTest {

    @TempDir
    Path directory;

    @Test
    void becomesTables() {
        Requires.loopDevices();
        Requires.kernelFileSystem("xfs");
        for (String tool : new String[] {"mkfs.xfs", "gcc", "python3"}) {
            Requires.tool(tool);
        }
        ShortSection.run(directory, "calls dedupe", "measure dedupetree kernelcompare", """
                DEDUPE_FILES=10 DEDUPE_SMALL=400 DEDUPE_CLONES=20 DEDUPE_TINY=50 DEDUPE_DISK_SIZE=400M
                DEDUPE_MAILS=50 DEDUPE_SYSTEM=$HERE/sections DEDUPE_COMMITS=
                DEDUPE_IMAGE_BASE=$HERE/load DEDUPE_IMAGE_LANGUAGE=$HERE/tables DEDUPE_IMAGE_PROGRAM=$HERE/peers
                dedupe_cold() { :; } # drops the caches of the tests beside it, too
                trap dedupe_down EXIT
                section_dedupe
                """);

        Path results = directory.resolve("results");
        assertThat(results.resolve("dedupe.csv"))
                .content()
                .contains("A hot,ours,1,", "D,ours,1,", "clones,ours,3,", "images,ours,1,", "mail,ours,1,");
        assertThat(results.resolve("dedupe.md"))
                .content()
                .contains("| A hot | ours | ", "| C again with database | ours_db | ", "x the tree | reached |");
        assertThat(results.resolve("dedupe_compare.md"))
                .content()
                .contains("| the kernel, FIDEDUPERANGE over 4 MiB | ", "128 KiB aligned: ours >= 0.95x memcmp");
    }
}
