package io.chagres.cli;

import io.chagres.archive.read.Verify;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code chagres verify}: reads a whole archive and names what is wrong. */
@Command(
        name = "verify",
        header = "Check an archive: hash chain, checksums, gaps, references.",
        description = "Reads everything. Names each fault in one line with what it means, and ends with exit code 1 if"
                + " there is any. Objects nothing refers to (uploads that were not committed) are counted, and no"
                + " fault.",
        footer = {"", "Example:", "  chagres verify /mnt/archive"})
final class VerifyCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Mixin
    JsonOption json = new JsonOption();

    VerifyCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        ProgressLine progress = new ProgressLine(context, json.json);
        Verify.Listener listener = new Verify.Listener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {
                progress.update(doneBytes, totalBytes);
            }

            @Override
            public void fault(Verify.Fault fault) {
                progress.message("chagres verify: " + fault);
            }

            @Override
            public void garbage(BlobInfo object) {
                // counted in the summary
            }
        };
        try (BlobStore archive = BlobStores.open(store, false)) {
            Verify.Summary summary = new Verify(archive, listener).run(owner -> true);
            progress.end();
            print(summary);
            return summary.faults() == 0 ? ExitCode.DONE : ExitCode.FAILED;
        } finally {
            progress.end();
        }
    }

    private void print(Verify.Summary summary) throws IOException {
        if (json.json) {
            JsonWriter line = new JsonWriter().beginObject();
            line.member("hosts", summary.hosts()).member("commits", summary.commits());
            line.member("checkpoints", summary.checkpoints()).member("objects", summary.objects());
            line.member("bytes", summary.bytes()).member("garbageObjects", summary.garbageObjects());
            line.member("garbageBytes", summary.garbageBytes()).member("faults", summary.faults());
            context.out().line(line.endObject());
            return;
        }
        context.out()
                .line("checked " + ShipStatusText.plural(summary.hosts(), "host") + ", "
                        + ShipStatusText.plural(summary.commits(), "commit") + ", "
                        + ShipStatusText.plural(summary.checkpoints(), "checkpoint") + ", "
                        + ShipStatusText.plural(summary.objects(), "data object") + ", "
                        + ByteSize.format(summary.bytes()) + ": "
                        + (summary.faults() == 0 ? "no fault" : ShipStatusText.plural(summary.faults(), "fault")));
        if (summary.garbageObjects() > 0) {
            context.out()
                    .line(ShipStatusText.plural(summary.garbageObjects(), "object") + " nothing refers to, "
                            + ByteSize.format(summary.garbageBytes()) + " ('chagres compact' removes them)");
        }
    }
}
