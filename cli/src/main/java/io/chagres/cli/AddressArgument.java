package io.chagres.cli;

import io.chagres.archive.read.Address;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The files a reading command is about, where it may also be about all. */
final class AddressArgument {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "HOST:/GLOB",
            description = "Which files; a glob that does not begin with / matches at any depth, * stays within a name,"
                    + " ** crosses directories (default: all).")
    @Nullable Address address;
}
