package io.chagres.cli.ship;

import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.store.TlsFiles;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.PropertiesFile;
import io.chagres.cli.text.ByteSize;
import io.chagres.forward.SinkSettings;
import io.chagres.forward.Sinks;
import io.chagres.linux.Pathname;
import io.chagres.ship.ShipOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a ship into Kafka; picocli fills its fields. */
final class SpoolOptions {
    private static final String SCHEME = "kafka://";

    /** Positions of ships are not those of forwarders. */
    private static final String NAME = "ship";

    private static final long MIN_BYTES = 16L << 20;

    @Option(
            names = "--spool",
            paramLabel = "DIR",
            description = "With kafka://: the directory that holds what Kafka has not got yet, of this ship alone"
                    + " (default: spool/HOST in the state directory).")
    @Nullable
    String directory;

    @Option(
            names = "--spool-size",
            paramLabel = "SIZE",
            defaultValue = "1GiB",
            description = "With kafka://: how much the spool may hold, compressed, at least 16MiB; when it is full"
                    + " nothing is read until Kafka takes more (default: ${DEFAULT-VALUE}).")
    ByteSize size = new ByteSize(0);

    @Option(
            names = "--properties",
            paramLabel = "FILE",
            description = "With kafka://: properties of Kafka's clients, for TLS, SASL, compression and batching;"
                    + " secrets belong here.")
    @Nullable
    Path properties;

    /** Says whether an address is Kafka's. */
    static boolean isMeant(String address) {
        return address.startsWith(SCHEME);
    }

    /**
     * Checks what can be checked before anything is opened.
     *
     * @throws IllegalArgumentException naming the value that is out of its range
     */
    void check(String address, List<AgeRecipient> recipients) throws IOException {
        Sinks.check(address, PropertiesFile.read(properties));
        if (size.bytes() < MIN_BYTES) {
            throw new IllegalArgumentException("the spool needs at least 16MiB");
        }
        if (!recipients.isEmpty()) {
            throw new IllegalArgumentException(
                    "what is encrypted to somebody else cannot be published in Kafka; leave out --encrypt-to");
        }
    }

    /** Returns the spool's directory. */
    Pathname directory(Pathname state, String host) throws CommandFailure {
        return directory == null ? state.resolve("spool").resolve(host) : Arguments.directory("--spool", directory);
    }

    /** Returns the archive in the spool. */
    Pathname archive(Pathname state, String host) throws CommandFailure {
        return Spool.archive(directory(state, host));
    }

    /**
     * Opens the spool, and prepares the way into Kafka: nothing is connected yet.
     *
     * @param caFile whose authorities the brokers are trusted by; null where the properties or the environment say it
     */
    Destination destination(
            String address, @Nullable String caFile, ShipOptions options, CommandContext context, ShipReport report)
            throws IOException {
        Map<String, String> clients = PropertiesFile.read(properties);
        if (caFile != null) {
            clients.put(TlsFiles.CA_FILE, caFile);
        }
        Spool spool = Spool.open(
                directory(
                        options.identity().stateDirectory(), options.identity().hostName()),
                size.bytes());
        SinkSettings settings = new SinkSettings(
                NAME,
                clients,
                spool.directory(),
                report::message,
                spool.id(),
                options.identity().takeOver());
        try {
            return new KafkaDestination(context, report, spool, Sinks.open(address, settings), options.once());
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "--to: " + e.getMessage());
        }
    }
}
