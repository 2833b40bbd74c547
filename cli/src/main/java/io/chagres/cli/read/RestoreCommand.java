package io.chagres.cli.read;

import io.chagres.archive.HostLists;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.read.Workers;
import io.chagres.archive.restore.Restore;
import io.chagres.archive.restore.RestoreListener;
import io.chagres.archive.restore.RestoreNameless;
import io.chagres.archive.restore.RestoreOptions;
import io.chagres.archive.restore.RestoreSummary;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.GoneOption;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.ProgressLine;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres restore}: gives files back. */
@Command(
        name = "restore",
        header = "Give files back: DIR/<host>/<path>.",
        description = "Restores one moment, the last unless --at says another: content, modes, owners where allowed,"
                + " times, empty files and directories, links and holes, so that 'diff -r' finds nothing. Nothing that"
                + " exists is replaced. How many files were gone at that moment is said; --gone restores those, below"
                + " DIR/.gone/<host>, the newest of each path under its name, others beside it as"
                + " <name>~<time>~<version>.",
        footer = {
            "",
            "Examples:",
            "  chagres restore /mnt/archive ./back",
            "  chagres restore /mnt/archive ./back 'web1:/var/log/**' --at 09:30",
            "  chagres restore /mnt/archive ./back 'web1:/var/log/**' --gone",
            "  chagres restore /mnt/archive ./back --all-versions",
            "  chagres restore /mnt/archive ./back web1: --salvage",
            "  chagres restore s3://logs/web ./back 'web1:/var/log/2019/**' --thaw --thaw-class bulk",
            "",
            "Exit codes: 0 everything is restored; 1 something could not be; 2 usage; 6 what is archived was asked",
            "for: run it again."
        })
public final class RestoreCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", paramLabel = "DIR", description = "Where to; made when it does not exist.")
    String directory = "";

    @Parameters(index = "2", arity = "0..1", paramLabel = "HOST:/GLOB", description = Arguments.ADDRESS)
    @Nullable
    Address address;

    @Option(names = "--gone", description = "Restore the files that are gone instead, below DIR/.gone.")
    boolean goneOnly;

    @Option(
            names = "--all-versions",
            description = "Also restore, below DIR/.gone, what is gone and each earlier state of files that were"
                    + " truncated or rewritten; with --gone that alone.")
    boolean allVersions;

    @Option(names = "--special-bits", description = "Restore set-user-id and set-group-id bits too.")
    boolean specialBits;

    @Option(names = "--ignore-space", description = "Begin although the target has less space than the files take.")
    boolean ignoreSpace;

    @Mixin
    SalvageOption salvage = new SalvageOption();

    @Mixin
    ThawOptions thawing = new ThawOptions();

    @Mixin
    GoneOption gone = new GoneOption();

    @Option(names = "--quiet", description = OutputOptions.QUIET_MEANS)
    boolean quiet;

    @Mixin
    ReadOptions reading = new ReadOptions();

    /** Makes the command; picocli fills its fields. */
    public RestoreCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        Pathname into = Arguments.directory("DIR", directory);
        thawing.check();
        ProgressLine progress = new ProgressLine(context, reading.json() || quiet);
        RestoreListener listener = new RestoreListener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {
                progress.update(doneBytes, totalBytes);
            }

            @Override
            public void fault(String subject, String cause) {
                progress.message("chagres restore: " + subject + ": " + cause);
            }
        };
        try (BlobStore archive = new HostLists(reading.open(store, context));
                LocalTables tables = TemporaryFiles.tables(context.environment());
                WorkerThreads threads = WorkerThreads.ofProcessors("chagres-restore-")) {
            RestoreOptions options = options();
            if (thawing.thaw) {
                Restore plan = new Restore(archive, options, tables, Workers.NONE, listener);
                thawing.thaw(archive, plan.objects(), context, reading.json());
            }
            Restore restore = new Restore(archive, options, tables, workers(archive, threads), listener);
            RestoreSummary summary = restore.into(into);
            progress.end();
            if (summary.files() + summary.directories() + summary.links() + summary.faults() == 0) {
                throw nothing(archive, summary);
            }
            print(summary);
            String left = left(summary);
            if (!left.isEmpty() && !quiet) {
                context.out().flush(); // what was restored comes first
                context.err().println("chagres restore: " + left);
            }
            ExpiredNote expired = new ExpiredNote("restore");
            expired.add(summary.expiredFiles(), summary.expiredBytes());
            expired.print(context);
            String lost = lost(summary);
            if (!lost.isEmpty() && !quiet) {
                context.err().println("chagres restore: " + lost);
            }
            if (summary.faults() == 0) {
                return ExitCode.DONE;
            }
            context.err()
                    .println("chagres restore: " + Words.plural(summary.faults(), "fault")
                            + " named above; everything else is restored");
            return ExitCode.FAILED;
        } finally {
            progress.end();
        }
    }

    private RestoreOptions options() throws CommandFailure {
        return new RestoreOptions(
                address,
                reading.times.at(),
                !goneOnly,
                nameless(),
                specialBits,
                salvage.salvage,
                ignoreSpace,
                reading.times::covers);
    }

    /** A store that is not here is read ahead, in the order of one reader: more of them would read it twice. */
    private static Workers workers(BlobStore archive, WorkerThreads threads) {
        return !archive.traits().isLocal() ? Workers.NONE : threads.workers();
    }

    private RestoreNameless nameless() throws CommandFailure {
        if (gone.hidden && (goneOnly || allVersions)) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    (goneOnly ? "--gone" : "--all-versions") + " and --hide-gone contradict each other");
        }
        if (allVersions) {
            return RestoreNameless.ALL;
        }
        return goneOnly ? RestoreNameless.GONE : RestoreNameless.NONE;
    }

    private CommandFailure nothing(BlobStore archive, RestoreSummary summary) {
        String left = left(summary);
        return new CommandFailure(
                ExitCode.FAILED,
                (goneOnly ? "nothing that is gone in " : "nothing in ") + archive.name() + " matches"
                        + (address == null ? "" : " " + address) + reading.times.window()
                        + (left.isEmpty() ? "; 'chagres ls STORE HOST:/**' lists what is there" : "; " + left)
                        + (summary.lostCommits() == 0 ? "" : "; " + lost(summary)));
    }

    /** Says what no list shows; empty when there is nothing. */
    private static String lost(RestoreSummary summary) {
        if (summary.lostCommits() < 0) {
            return "whether repairs named commits as lost is not known here: quarantine/ cannot be listed";
        }
        return summary.lostCommits() == 0
                ? ""
                : "repairs named " + Words.plural(summary.lostCommits(), "commit")
                        + " as lost: files and bytes that nothing else shows are not here ('chagres verify' has more)";
    }

    /** Says what nobody asked for, and how it is had; empty when there is nothing. */
    private String left(RestoreSummary summary) {
        if (gone.hidden) {
            return "";
        }
        List<String> left = new ArrayList<>();
        add(left, summary.gone(), "file is gone", "files are gone", "--gone");
        add(left, summary.earlier(), "earlier state of a file", "earlier states of files", "--all-versions");
        return String.join("; ", left);
    }

    private static void add(List<String> left, GoneTree.Count count, String one, String many, String option) {
        if (count.files() > 0) {
            left.add(Words.plural(count.files(), one, many) + ", " + ByteSize.format(count.bytes()) + " ('restore "
                    + option + "' brings " + (count.files() == 1 ? "it" : "them") + " back)");
        }
    }

    private void print(RestoreSummary summary) throws IOException {
        if (reading.json()) {
            JsonWriter line = new JsonWriter().beginObject();
            line.member("files", summary.files()).member("directories", summary.directories());
            line.member("links", summary.links()).member("bytes", summary.bytes());
            line.knownMember("lostCommits", summary.lostCommits()).member("expiredBytes", summary.expiredBytes());
            line.member("goneFiles", summary.gone().files())
                    .member("goneBytes", summary.gone().bytes());
            line.member("earlierStates", summary.earlier().files())
                    .member("earlierBytes", summary.earlier().bytes());
            context.out().line(line.member("faults", summary.faults()).endObject());
            return;
        }
        if (quiet) {
            return;
        }
        context.out()
                .line("restored " + Words.plural(summary.files(), "file") + ", "
                        + Words.plural(summary.directories(), "directory", "directories") + ", "
                        + Words.plural(summary.links(), "link") + ", " + ByteSize.format(summary.bytes())
                        + " to " + Pathname.of(directory));
    }
}
