package io.chagres.cli;

import io.chagres.archive.read.Address;
import picocli.CommandLine.Parameters;

/** The files a reading command is about, where it must be told. */
final class RequiredAddress {
    @Parameters(
            index = "1",
            paramLabel = "HOST:/GLOB",
            description = "Which files; a glob that does not begin with / matches at any depth, * stays within a name,"
                    + " ** crosses directories.")
    Address address = Address.parse("*:/**");
}
