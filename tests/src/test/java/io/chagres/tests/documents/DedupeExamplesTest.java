package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.dedupe.Count;
import io.chagres.dedupe.Dedupe;
import io.chagres.dedupe.DedupeListener;
import io.chagres.dedupe.DedupeOptions;
import io.chagres.dedupe.DedupeWorker;
import io.chagres.dedupe.Outcome;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/DEDUPE.md, compiled and run. {@link DocumentExamplesTest} finds it here. */
class DedupeExamplesTest {
    record Copies(DedupeOptions options) implements DedupeListener {
        long sharedBytes(Pathname directory) throws IOException {
            try (Dedupe dedupe = new Dedupe(options, Clock.systemUTC(), this)) {
                dedupe.add(directory);
                toTheEnd(dedupe.scanWorker());
                dedupe.plan();
                toTheEnd(dedupe.worker());
                return dedupe.totals().get(Count.SHARED_BYTES);
            }
        }

        private static void toTheEnd(DedupeWorker worker) {
            try (worker) {
                while (worker.step()) {}
            }
        }

        @Override
        public void shared(Pathname source, Pathname file, long lengthBytes) {}

        @Override
        public void sharedRange(Pathname source, long from, Pathname file, long position, long lengthBytes) {}

        @Override
        public void skipped(Pathname path, Outcome outcome, int errno) {
            System.err.println(path + ": " + outcome);
        }

        @Override
        public void unsupported(Pathname path, long type) {
            System.err.println(path + " is on a file system that cannot share blocks");
        }
    }

    @Test
    void asALibrary(@TempDir Path temp) throws IOException {
        Files.write(temp.resolve("a"), new byte[10_000]);
        Files.write(temp.resolve("b"), new byte[10_000]);
        Copies plan = new Copies(DedupeOptions.DEFAULT.asDryRun(true));
        assertThat(plan.sharedBytes(Pathname.of(temp.toString()))).isEqualTo(10_000);
    }
}
