package io.chagres.cli.ship;

import io.chagres.archive.age.AgeRecipient;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.KeyFiles;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The recipients that a shipper encrypts to. */
final class RecipientOptions {
    @Option(
            names = "--encrypt-to",
            paramLabel = "RECIPIENT",
            description = "Encrypt bytes and names to an age public key (age1..., of age-keygen); may be repeated."
                    + " A thief of this host or of the store reads nothing; keep the key elsewhere: without it"
                    + " nothing can be restored.")
    List<String> recipients = List.of();

    @Option(
            names = "--encrypt-to-file",
            paramLabel = "FILE",
            description = "The same for each line of a file of age recipients; may be repeated.")
    List<String> files = List.of();

    /**
     * Returns all.
     *
     * @throws CommandFailure when one is none
     */
    List<AgeRecipient> all() throws CommandFailure {
        List<AgeRecipient> all = new ArrayList<>();
        for (String recipient : recipients) {
            try {
                all.add(AgeRecipient.parse(recipient));
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(
                        ExitCode.USAGE, "--encrypt-to takes an age public key (age1...): " + e.getMessage());
            }
        }
        for (String file : files) {
            all.addAll(KeyFiles.read(file, AgeRecipient::read));
        }
        return all;
    }
}
