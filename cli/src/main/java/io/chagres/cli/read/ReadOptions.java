package io.chagres.cli.read;

import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.MemoryOption;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.TimeOptions;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.command.TrustOption;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all commands take which read files: at a moment, as far as it is proven, and how they run. */
public final class ReadOptions {
    @Mixin
    TimeOptions times = new TimeOptions();

    @Mixin
    private TimeoutOption timeout = new TimeoutOption();

    @Mixin
    private TrustOption trust = new TrustOption();

    @Mixin
    private MemoryOption memory = new MemoryOption();

    @Option(names = "--json", description = OutputOptions.JSON_MEANS)
    private boolean json;

    /** Makes the options; picocli fills the fields. */
    public ReadOptions() {}

    /** Says whether the output is JSON. */
    boolean json() {
        return json;
    }

    /** Opens a store to read it, which must exist. */
    BlobStore open(String store, CommandContext context) throws IOException {
        return trust.open(store, timeout, context);
    }

    /** Looks at an archive for a command of this name that reads each host once. */
    ArchiveView view(String command, String store, CommandContext context) throws IOException {
        return ArchiveView.once(
                command,
                open(store, context),
                times,
                TemporaryFiles.tables(context.environment()),
                context.err()::println);
    }

    /** Returns how many threads read hosts of a view beside each other. */
    int readers(ArchiveView view) {
        return view.readers(memory.bytes());
    }
}
