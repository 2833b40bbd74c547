package io.chagres.cli.command;

import io.chagres.cli.text.ByteSize;
import picocli.CommandLine.Option;

/**
 * {@code --memory} of what reads and maintains archives. The start script gives it to the JVM, which cannot change it
 * later (bin/start.sh has the default, too); here it is checked.
 */
public final class MemoryOption {
    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "128MiB",
            description = "Memory for what is known of hosts (default: ${DEFAULT-VALUE}). A host of many files is"
                    + " mostly in temporary files (TMPDIR); a damaged one ('repair', --salvage) takes up to 1 KB for"
                    + " each file. A host that needs more is named and left out.")
    private ByteSize memory = ByteSize.parse("128MiB");

    /** Returns the size in bytes. */
    public long bytes() {
        return memory.bytes();
    }
}
