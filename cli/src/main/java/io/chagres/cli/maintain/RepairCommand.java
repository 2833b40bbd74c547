package io.chagres.cli.maintain;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Repair;
import io.chagres.archive.maintain.RepairAction;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres repair}: makes hosts readable whose log is damaged. */
@Command(
        name = "repair",
        header = "Make hosts readable again whose log is damaged.",
        description = "Prints what would be done; does it with --apply. A checkpoint states what is left of the host,"
                + " and damaged objects move below quarantine/ in the archive. The owner record and the key of the name"
                + " are put again. Nothing that holds bytes is deleted, and nothing is done after which less could be"
                + " read. End the host's shipper first.",
        footer = {
            "",
            "Examples:",
            "  chagres repair /mnt/archive",
            "  chagres repair /mnt/archive web1: --apply",
            "",
            "Exit codes: 0 what says where bytes are is whole, or all was done; 1 something would be done, or was"
                    + " refused; 2 usage; 5 the store did not answer."
        })
public final class RepairCommand implements Callable<Integer> {
    static final String NOTHING =
            "nothing to repair: what says where bytes are is whole; 'chagres verify' reads the bytes";

    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST:", description = "Which hosts (default: all).")
    @Nullable
    Address address;

    @Option(names = "--apply", description = "Do what is printed.")
    boolean apply;

    @Mixin
    MaintainOptions common = new MaintainOptions();

    private long losses;

    /** Makes the command; picocli fills its fields. */
    public RepairCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        try (BlobStore archive = common.open(store, context);
                LocalTables tables = TemporaryFiles.tables(context.environment())) {
            List<HostRegistry.Owner> hosts = Address.hosts(archive, address);
            if (hosts.isEmpty()) {
                throw new CommandFailure(
                        ExitCode.FAILED,
                        "no host in " + archive.name() + (address == null ? "" : " matches " + address));
            }
            boolean[] unanswered = new boolean[1];
            HostFaults faults = new HostFaults(archive, (host, cause) -> {
                unanswered[0] |= cause instanceof StoreException refusal && refusal.isUnanswered();
                context.err().println("chagres repair: " + host.title() + ": " + cause.getMessage());
            });
            long[] steps = new long[1];
            for (HostRegistry.Owner host : hosts) {
                Repair repair = new Repair(archive, host.id(), tables, Clock.systemUTC()::millis, this::print);
                faults.attempt(host, () -> repair.run(apply));
                steps[0] += repair.steps();
                if (repair.doubt() != null) {
                    context.err().println("chagres repair: " + host.title() + ": " + repair.doubt());
                }
            }
            if (!common.json() && (!common.quiet() || steps[0] > 0 || losses > 0)) {
                context.out().line(sum(steps[0], faults.count() > 0));
            }
            boolean done = faults.count() == 0 && (apply || steps[0] == 0) && (losses == 0 || steps[0] > 0);
            return done ? ExitCode.DONE : unanswered[0] ? ExitCode.UNANSWERED : ExitCode.FAILED;
        } catch (StoreException e) {
            if (e.isUnanswered()) {
                throw new CommandFailure(
                        ExitCode.UNANSWERED,
                        e.getMessage() + "; what was not answered is not known to be damaged, and nothing was done"
                                + " about it");
            }
            throw e;
        }
    }

    private String sum(long steps, boolean failed) {
        if (steps == 0) {
            return failed ? "nothing was repaired" : losses == 0 ? NOTHING : "nothing that is lost can be made again";
        }
        return Words.plural(steps, "step") + (apply ? " done" : " to do; '--apply' does it");
    }

    private void print(RepairAction action, String object, String why, String consequence) {
        losses += action == RepairAction.LOSS ? 1 : 0;
        try {
            if (common.json()) {
                JsonWriter line = new JsonWriter().beginObject();
                line.member("action", action.name().toLowerCase(Locale.ROOT)).member("object", object);
                line.member("cause", why).member("consequence", consequence);
                context.out().line(line.endObject());
                return;
            }
            String verb =
                    switch (action) {
                        case LOSS -> "lost: ";
                        case CHECKPOINT -> apply ? "put " : "would put ";
                        case PUT -> apply ? "put " : "would put ";
                        case QUARANTINE -> apply ? "move " : "would move ";
                        case FAILURE -> "failed: ";
                    };
            context.out().line(verb + object + ": " + why + "; " + consequence);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
