package io.chagres.cli.maintain;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.verify.Heads;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.MemoryOption;
import io.chagres.cli.command.SigningKeyFile;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.ship.OwnSignature;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres head}: the newest commit of a host and who signed it, to be kept elsewhere. */
@Command(
        name = "head",
        header = "Print the newest commit of hosts as they signed it, or this machine's key.",
        description = {
            "One line for each host. Keep it where nobody who writes the archive can change it: 'chagres"
                    + " verify --trust FILE --head FILE' says when the commit that it names is gone. A host that"
                    + " does not sign is named on standard error, and the exit code is 1."
        },
        footer = {
            "",
            "Examples:",
            "  chagres head /mnt/archive >>heads.txt",
            "  chagres head /mnt/archive --key >>trust.txt    # on the host",
            "",
            "Exit codes: 0 done; 1 a host does not sign, or cannot be read; 2 usage."
        })
public final class HeadCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = "The archive.")
    String store = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST", description = "Name, id or quoted glob of hosts.")
    @Nullable
    String hosts;

    @Option(
            names = "--key",
            description =
                    "Print the line for a trust file instead: the id of this machine's host and the public half of"
                            + " the key in its state directory. HOST is the name given to ship --host.")
    boolean key;

    @Option(
            names = "--sign",
            paramLabel = "KEYFILE",
            description = "With --key: print the line of the key by which 'compact --sign KEYFILE' signs instead.")
    @Nullable
    String sign;

    @Mixin
    TimeoutOption timeout = new TimeoutOption();

    @Mixin
    MemoryOption memory = new MemoryOption();

    @Mixin
    StateOption state = new StateOption();

    /** Makes the command; picocli fills its fields. */
    public HeadCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (sign != null) {
            return compactorKey(sign);
        }
        try (BlobStore archive = timeout.open(store, context)) {
            return key ? ownKey(archive) : heads(archive);
        }
    }

    private int compactorKey(String file) throws IOException {
        if (!key) {
            throw new CommandFailure(ExitCode.USAGE, "--sign needs --key: it names the key whose line is printed");
        }
        SigningKey signing = SigningKeyFile.read(file);
        if (signing == null) {
            throw new CommandFailure(
                    ExitCode.FAILED, file + ": there is no such file; 'chagres compact --sign' makes a key there");
        }
        context.out().line(TrustList.lineOfCompactor(signing.publicKey()));
        return ExitCode.DONE;
    }

    private int ownKey(BlobStore archive) throws IOException {
        Pathname directory = state.directory(context.environment());
        String name = hosts == null ? Machine.current().hostName() : hosts;
        String line = OwnSignature.trustLine(directory, archive.name(), name);
        if (line == null) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    directory + ": it holds no key of host " + name + " for " + archive.name()
                            + "; 'chagres ship --sign' makes one. Name its directory by --state.");
        }
        context.out().line(line);
        return ExitCode.DONE;
    }

    private int heads(BlobStore archive) throws IOException {
        Address address = Arguments.hosts(hosts);
        Collection<HostRegistry.Owner> chosen = Address.hosts(archive, address);
        if (chosen.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.FAILED, "no host in " + archive.name() + (hosts == null ? "" : " matches " + hosts));
        }
        HostFaults faults = new HostFaults(
                archive, (host, cause) -> context.err().println(host.title() + ": " + cause.getMessage()));
        long signed = 0;
        for (HostRegistry.Owner host : chosen) {
            AtomicReference<SignedStatement> head = new AtomicReference<>();
            if (faults.attempt(host, () -> head.set(Heads.of(archive, host.id())))) {
                SignedStatement line = head.get();
                if (line == null) {
                    context.err().println(host.title() + ": its newest commit is not signed (ship --sign)");
                } else {
                    context.out().line(line.toString());
                    signed++;
                }
            }
        }
        return signed == chosen.size() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
