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
            description = "Memory for what is known of hosts (default: ${DEFAULT-VALUE}). Most of a host of many files"
                    + " is in temporary files (TMPDIR) meanwhile; what is damaged ('repair', --salvage) takes up to 1"
                    + " KB for a file. A host that takes more is named, and left out.")
    private ByteSize memory = ByteSize.parse("128MiB");

    /** Returns the size in bytes. */
    public long bytes() {
        return memory.bytes();
    }
}
