package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Btrfs that compresses. */
class CompressedBtrfsDedupeTest extends DedupeContract {
    CompressedBtrfsDedupeTest() {
        super("btrfs", "compress=zstd", "mkfs.btrfs", "-q");
    }

    @Test
    void compressedFiles() throws IOException {
        byte[] content = "all work and no play\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Path a = file("a", content);
        Path b = file("b", content);
        Run run = run(DedupeOptions.DEFAULT);
        assertThat(run.count(Count.SHARED_FILES)).isEqualTo(1);
        Places.areShared(a, b);
        assertThat(run(DedupeOptions.DEFAULT).count(Count.CALLS)).isZero();
    }
}
