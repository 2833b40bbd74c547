package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DedupeCloseTest {
    /** A worker that failed is closed where it failed and where it was made. */
    @Test
    void closingAgainDoesNothing(@TempDir Path temp) throws IOException {
        Files.writeString(temp.resolve("a"), "equal");
        Files.writeString(temp.resolve("b"), "equal");
        Dedupe dedupe = new Dedupe(DedupeOptions.DEFAULT, Run.LATER, new Heard());
        dedupe.add(Pathname.of(temp.toString()));
        DedupeWorker scan = dedupe.scanWorker();
        Run.toTheEnd(scan);
        scan.close();
        dedupe.plan();
        for (DedupeWorker each : List.of(dedupe.worker(), dedupe.zeroWorker(), dedupe.blockWorker(4096, 65_536))) {
            Run.toTheEnd(each);
            each.close();
        }
        assertThat(dedupe.totals().get(Count.FILES)).isEqualTo(2);
        dedupe.close();
        dedupe.close();
    }
}
