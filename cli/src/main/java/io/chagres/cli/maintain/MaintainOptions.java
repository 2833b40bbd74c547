package io.chagres.cli.maintain;

import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.IdentityOption;
import io.chagres.cli.command.MemoryOption;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.TimeoutOption;
import java.io.IOException;
import picocli.CommandLine.Mixin;

/** The options that all commands take which delete: what opens the store, and what they say. */
public final class MaintainOptions {
    @Mixin
    private TimeoutOption timeout = new TimeoutOption();

    @Mixin
    private IdentityOption identities = new IdentityOption();

    @Mixin
    MemoryOption memory = new MemoryOption();

    @Mixin
    private OutputOptions output = new OutputOptions();

    /** Makes the options; picocli fills the fields. */
    public MaintainOptions() {}

    /** Says whether only what needs somebody is said. */
    boolean quiet() {
        return output.quiet;
    }

    /** Says whether the output is JSON. */
    boolean json() {
        return output.json;
    }

    /** Opens a store, which must exist. */
    BlobStore open(String store, CommandContext context) throws IOException {
        return identities.open(store, timeout, context);
    }
}
