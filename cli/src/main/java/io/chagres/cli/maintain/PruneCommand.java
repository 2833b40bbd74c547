package io.chagres.cli.maintain;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Prune;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.ship.ShipPlan;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres prune}: removes local files that the archive provably holds. */
@Command(
        name = "prune",
        header = "Remove local files that the archive provably holds in full.",
        description = "A file goes if nothing happened to it for --older-than, nobody has it open, it has one name, and"
                + " what the archive of this machine gives for that name now, read back from the store, is byte for"
                + " byte what it holds. Everything else stays, and why is said: also what the archive holds, but"
                + " encrypted for somebody else. Only regular files are removed; links are not followed. Afterwards"
                + " 'chagres restore --gone' and --at find them, for as long as 'compact' keeps what is gone.",
        footer = {
            "",
            "Examples:",
            "  chagres prune /var/log/app --older-than 7d                # says what would go, on a terminal",
            "  chagres prune /var/log/app --older-than 7d --no-dry-run",
            "  chagres prune /srv/logs --older-than 1d --to s3://bucket/archive --host web1",
            "",
            "Exit codes: 0 done, whatever stays; 1 failed; 2 usage."
        })
public final class PruneCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files, and directories with all below them.")
    List<String> paths = List.of();

    @Option(
            names = "--older-than",
            required = true,
            paramLabel = "TIME",
            description = "Only files that nothing happened to for so long: no write, no rename, no change of rights.")
    Duration olderThan = Duration.ZERO;

    @Option(
            names = "--to",
            paramLabel = "STORE",
            description = Arguments.STORE + " (default: that of the configuration of ship)")
    @Nullable
    String store;

    @Option(names = "--config", paramLabel = "FILE", description = "Another configuration file than that of the unit.")
    @Nullable
    String config;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "Name of this machine in the archive (default: as ship has it).")
    @Nullable
    String host;

    @Option(
            names = "--dry-run",
            negatable = true,
            description = "Only say what would be removed (default: on a terminal).")
    @Nullable
    Boolean dryRun;

    @Mixin
    MaintainOptions common = new MaintainOptions();

    private long removed;
    private long removedBytes;
    private long kept;

    /** Makes the command; picocli fills its fields. */
    public PruneCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (olderThan.isNegative()) {
            throw new CommandFailure(ExitCode.USAGE, "--older-than is not negative");
        }
        ShipPlan plan = plan();
        if (plan.isSpool()) {
            throw new CommandFailure(
                    ExitCode.USAGE, plan.to() + " keeps nothing: its archive only holds what is on its way");
        }
        boolean only = dryRun == null ? context.liveLine() : dryRun;
        long untilMs = context.clock().millis() - olderThan.toMillis();
        try (BlobStore archive = common.open(plan.store(), context);
                LocalTables tables = TemporaryFiles.tables(context.environment());
                FileHolders holders = new FileHolders()) {
            String id = hostId(archive, host == null ? plan.options().identity().hostName() : host);
            HostState state = HostLog.replay(archive, id, tables, RunListener.NONE);
            try (Prune prune =
                    new Prune(archive, id, state, new Prune.Rules(untilMs, only), holders, new Report(only))) {
                for (String path : paths) {
                    prune.below(Pathname.of(path).absolute().normalized());
                }
            }
            if (holders.unseen() > 0) {
                context.err()
                        .println("chagres prune: what " + holders.unseen()
                                + " processes of other users only read cannot be seen; root sees it");
            }
        }
        if (common.quiet() && !only) {
            return ExitCode.DONE;
        }
        context.err()
                .println(
                        "chagres prune: " + (only ? "would remove " : "removed ") + Words.plural(removed, "file") + ", "
                                + ByteSize.format(removedBytes) + "; " + kept + (kept == 1 ? " stays" : " stay")
                                + (only ? ". Nothing was removed; --no-dry-run does" : ""));
        return ExitCode.DONE;
    }

    private ShipPlan plan() throws IOException {
        String file = store != null ? null : config != null ? config : ShipPlan.usualFile();
        if (store == null && file == null) {
            throw new CommandFailure(ExitCode.USAGE, "the archive is missing (--to STORE, or --config FILE)");
        }
        return file == null ? ShipPlan.of(context, paths, store) : ShipPlan.ofFile(context, file);
    }

    private String hostId(BlobStore archive, String name) throws IOException {
        String id = HostRegistry.ofMachine(archive, name, Machine.current());
        if (id == null) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    archive.name() + " has no host " + name + " of this machine, so it proves nothing of files here."
                            + " Nothing was removed; --host gives the name that ship has.");
        }
        return id;
    }

    /** Says what becomes of each file. */
    private final class Report implements Prune.Listener {
        private final boolean only;

        Report(boolean only) {
            this.only = only;
        }

        @Override
        public void removed(Pathname path, long bytes) throws IOException {
            removed++;
            removedBytes += bytes;
            say(path, only ? "would remove" : "removed", bytes, null);
        }

        @Override
        public void kept(Pathname path, String why) throws IOException {
            kept++;
            say(path, "stays", -1, why);
        }

        private void say(Pathname path, String what, long bytes, @Nullable String why) throws IOException {
            if (common.json()) {
                JsonWriter line = new JsonWriter().beginObject();
                line.member("path", path.toString()).member("result", what);
                if (why == null) {
                    line.member("bytes", bytes);
                } else {
                    line.member("why", why);
                }
                context.out().line(line.endObject());
            } else if (only || !common.quiet()) {
                context.out()
                        .line(what + " " + path + (why == null ? " (" + ByteSize.format(bytes) + ")" : ": " + why));
            }
            context.out().flush();
        }
    }
}
