package io.chagres.cli.ship;

import io.chagres.archive.Codec;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.UnreadableCommitException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreAddress;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.LastWord;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.http.HttpOption;
import io.chagres.cli.http.ProcessNumbers;
import io.chagres.cli.http.StatusBoard;
import io.chagres.cli.http.StatusServer;
import io.chagres.cli.notice.NoticeWatch;
import io.chagres.cli.notice.Provider;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.ShellWord;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Glob;
import io.chagres.linux.Machine;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.BuildVersion;
import io.chagres.ship.ShipOptions;
import io.chagres.ship.Shipper;
import io.chagres.ship.Source;
import io.chagres.ship.StartAt;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code chagres ship}: follows files until told to stop and commits every new byte exactly once. */
@Command(
        name = "ship",
        header = "Follow files and commit every new byte exactly once into an archive.",
        customSynopsis = "chagres ship [PATH... --to STORE] [OPTION...] [-- CMD ARG...]",
        description = {
            "PATH is a file, a directory (everything below it) or a quoted glob. Runs until SIGTERM or SIGINT, then"
                    + " ships what is left within --drain. With -- CMD it runs that program, drains after its end and"
                    + " exits with its exit code. PATH - is standard input, with --as NAME. Without PATH it reads "
                    + ShipSettings.DEFAULT_FILE + "; see"
                    + " 'chagres help config'."
        },
        footer = {
            "",
            "Examples:",
            "  chagres ship /var/log/app --to /mnt/archive",
            "  chagres ship '/srv/*/logs/*.log' --to /mnt/archive --host web1 --max-lag 100ms",
            "  chagres ship /var/log/app --to 's3://bucket/prefix?region=eu-west-1'",
            "  chagres ship /tmp/job --to /mnt/archive -- ./job --size 10",
            "  chagres ship - --as db.sql --to /mnt/archive -- pg_dump db",
            "",
            "Exit codes: 0 everything is acknowledged, or that of CMD; 1 failed; 2 usage; 3 stopped with"
                    + " bytes at risk; 4 fenced by another writer."
        })
public final class ShipCommand implements Callable<Integer> {
    private static final long MIN_STATUS_INTERVAL_MS = 10;

    /** A service manager hears as often that the shipper works. */
    private static final long MAX_STATUS_INTERVAL_MS = 1000;

    private final CommandContext context;

    @Parameters(arity = "0..*", paramLabel = "PATH", description = "A file, a directory or a quoted glob.")
    List<String> paths = List.of();

    @Option(
            names = "--to",
            paramLabel = "STORE",
            description = "The archive: a directory, s3://BUCKET/PREFIX, gs://... or azblob://...; created if absent."
                    + " Or kafka://HOST:PORT,HOST:PORT/TOPIC: each line once into Kafka, through --spool.")
    String store = "";

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description =
                    "Trust only the authorities whose certificates (PEM) are in FILE, for the server of the archive"
                            + " or of Kafka; the same as ?ca-file=FILE in an address.")
    @Nullable
    String caFile;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Read options and sources from this TOML file; SIGHUP reads it again.")
    @Nullable
    String config;

    @Option(
            names = "--once",
            description = "Ship what is there, wait for the acknowledgement, exit."
                    + " A store that does not accept at the start, or refuses everything later on, or a file that"
                    + " cannot be read, is given the time of --drain, then the exit code is 3. A glob that matches"
                    + " nothing is said, and the exit code is 1.")
    boolean once;

    @Option(
            names = "--dry-run",
            description = "Only say what would be followed and what it would cost a day, seen for some seconds.")
    boolean dryRun;

    @Option(
            names = "--max-lag",
            paramLabel = "DURATION",
            description = "Longest time between a write and its commit (default: 1s for directories, 10s for object"
                    + " stores, where each commit is a put that is paid for).")
    @Nullable
    Duration maxLag;

    @Option(
            names = "--drain",
            paramLabel = "DURATION",
            defaultValue = "25s",
            description = "Longest time to ship the rest after a signal, also while the store refuses or"
                    + " hangs (default: ${DEFAULT-VALUE}).")
    Duration drain = Duration.ZERO;

    @Option(names = "--host", paramLabel = "NAME", description = "Name in the archive (default: the host's name).")
    @Nullable
    String host;

    @Option(
            names = "--host-id",
            paramLabel = "ID",
            description = "Write as the host of this id, 16 hexadecimal digits: for rights that are granted per host."
                    + " Refused if it is another machine's (default: derived from name and machine).")
    @Nullable
    String hostId;

    @Option(
            names = "--take-over",
            description = "Start even if another ship was heard as this host less than three heartbeats ago;"
                    + " if that one lives, it stops with exit code 4.")
    boolean takeOver;

    @Option(
            names = "--heartbeat",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Let 'chagres status' hear from this host at least this often, 1s to 1h; 0 for never"
                    + " (default: ${DEFAULT-VALUE}).")
    Duration heartbeat = Duration.ZERO;

    @Mixin
    SpoolOptions spool = new SpoolOptions();

    @Mixin
    RecipientOptions recipients = new RecipientOptions();

    @Option(
            names = "--sign",
            description = "Sign each commit with a key of this machine, which is made in the state directory; see"
                    + " 'chagres head' and 'chagres verify --trust'.")
    boolean sign;

    @Option(
            names = "--codec",
            paramLabel = "zstd|gzip|none",
            defaultValue = "zstd",
            description = "Compression of data objects (default: ${DEFAULT-VALUE}). New bytes go into commits,"
                    + " which are always zstd; see 'compact --codec'.")
    Codec codec = Codec.ZSTD;

    @Option(
            names = "--level",
            paramLabel = "N",
            defaultValue = "3",
            description = "Level of zstd, 1 to 19 (default: ${DEFAULT-VALUE}); gzip takes 9 for all above.")
    int level;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "64MiB",
            description = "Most memory for buffers, at least 16MiB; taken on demand, given back when idle"
                    + " (default: ${DEFAULT-VALUE}).")
    ByteSize memory = new ByteSize(0);

    @Option(names = "--include", paramLabel = "GLOB", description = "Ship only names that match; may be repeated.")
    List<String> includes = List.of();

    @Option(names = "--exclude", paramLabel = "GLOB", description = "Never ship names that match; may be repeated.")
    List<String> excludes = List.of();

    @Option(
            names = "--follow-links",
            description =
                    "Ship the files that links in PATH lead to, under the names of the links, also outside of PATH."
                            + " Anybody who may make links there chooses what this user reads.")
    boolean followLinks;

    @Option(
            names = "--start-at",
            paramLabel = "beginning|end",
            defaultValue = "beginning",
            description = "Where to begin in files that are there at the first start (default: ${DEFAULT-VALUE}).")
    StartAt startAt = StartAt.BEGINNING;

    @Option(
            names = "--ignore-older",
            paramLabel = "DURATION",
            description = "Leave out files that were not written for longer when they are first seen, until they are"
                    + " written again: they are then shipped from their beginning. Known files are followed.")
    @Nullable
    Duration ignoreOlder;

    @Mixin
    StdinOptions stdin = new StdinOptions();

    @Mixin
    HoldOption hold = new HoldOption();

    @Mixin
    RateOptions rate = new RateOptions();

    @Option(
            names = "--poll",
            paramLabel = "DURATION",
            description = "Also look at every file this often: for NFS, FUSE and writers that raise no events.")
    @Nullable
    Duration poll;

    @Option(
            names = "--coalesce",
            paramLabel = "DURATION",
            defaultValue = "20ms",
            description = "Collect events this long before reading, up to 1s; 0 for the least latency"
                    + " (default: ${DEFAULT-VALUE}).")
    Duration coalesce = Duration.ZERO;

    @Option(
            names = "--notice",
            paramLabel = "aws|gcp|azure|auto",
            description = "Follow the cloud's notice that this machine will vanish; from then on commit at once,"
                    + " whatever --max-lag says.")
    @Nullable
    Provider notice;

    @Option(names = "--quiet", description = OutputOptions.QUIET_MEANS)
    boolean quiet;

    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "How lines are written off a terminal; text has priorities under journald"
                    + " (default: ${DEFAULT-VALUE}).")
    LogLines.Format logFormat = LogLines.Format.TEXT;

    @Option(
            names = "--status-interval",
            paramLabel = "DURATION",
            defaultValue = "1s",
            description = "With --json, print the status this often, 10ms to 1s (default: ${DEFAULT-VALUE}).")
    Duration statusInterval = Duration.ofMillis(MAX_STATUS_INTERVAL_MS);

    @Mixin
    HttpOption http = new HttpOption();

    @Mixin
    StateOption state = new StateOption();

    @Option(names = "--json", description = OutputOptions.JSON_MEANS)
    boolean json;

    @Spec
    CommandSpec spec = CommandSpec.create();

    /** The other sources that the configuration file names. */
    List<Source> moreSources = List.of();

    /** Makes the command; picocli fills its fields. */
    public ShipCommand(CommandContext context) {
        this.context = context;
    }

    /** Returns a command that is only asked for its options. */
    static ShipCommand ofNothing() {
        return new ShipCommand(
                CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of()));
    }

    @Override
    public Integer call() throws IOException {
        CompletableFuture<Runnable> rereads = new CompletableFuture<>();
        boolean managed = Supervisor.isNamedBy(context.environment());
        if (managed) {
            hearHangups(rereads); // before anything else, since a reload must not end a service
        }
        stdin.check(paths, spec.commandLine().getParseResult());
        ShipSettings settings = ShipSettings.of(context, spec.commandLine().getParseResult());
        if (settings.hasFile() && !managed) {
            hearHangups(rereads);
        }
        return (settings.isOfLineAlone() ? this : settings.command()).run(settings, rereads);
    }

    /** Lets each SIGHUP wait until there is somebody who reads again. */
    private void hearHangups(CompletableFuture<Runnable> rereads) {
        context.termination().onHangup(() -> rereads.join().run());
    }

    /** Refuses what no shipper can be made of. */
    ShipCommand complete() throws IOException {
        if ((paths.isEmpty() && moreSources.isEmpty()) || store.isEmpty()) {
            String missing = store.isEmpty() ? "the archive is missing (--to STORE)" : "no path to ship";
            throw new CommandFailure(
                    ExitCode.USAGE,
                    missing + "; give it here, or in " + ShipSettings.DEFAULT_FILE + " or the file of --config."
                            + " Try 'chagres ship --help'.");
        }
        if (statusInterval.toMillis() < MIN_STATUS_INTERVAL_MS || statusInterval.toMillis() > MAX_STATUS_INTERVAL_MS) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--status-interval must be between 10ms and 1s. Try 'chagres ship --help'.");
        }
        try {
            ShipPlan plan = plan();
            if (!StdinOptions.isMeant(paths)) {
                plan.ownPaths().refuse(plan.options());
            }
            http.check(context);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, e.getMessage() + ". Try 'chagres ship --help'.");
        }
        return this;
    }

    private int run(ShipSettings settings, CompletableFuture<Runnable> rereads) throws IOException {
        complete();
        LastWord.holdClasses();
        ShipOptions options = options();
        if (dryRun) {
            return DryRun.run(plan(), context, json);
        }
        if (once && !StdinOptions.isMeant(paths)) {
            checkThatPathsExist(options);
        }
        ShipReport told = json
                ? ShipReport.json(context, logFormat, statusInterval.toMillis())
                : ShipReport.of(context, quiet, once, logFormat);
        if (StdinOptions.isMeant(paths)) {
            return stdin.ship(context, plan(), told, () -> opened(told));
        }
        StatusBoard board = board(options);
        ShipReport report = new ShipReport.Observed(told, board);
        try (WorkerThreads threads = new WorkerThreads("chagres-http-", 2);
                StatusServer _ = http.serve(context, board, threads, quiet ? text -> {} : told::message);
                Supervisor supervisor = Supervisor.of(context.environment(), report)) {
            ShipStart start = new ShipStart(
                    context,
                    report,
                    supervisor,
                    MonotonicClock::nowMs,
                    options.pace().drainMs());
            context.termination().onUserSignal(start::flush); // before the lock tells others that they may send it
            context.termination().onSignal(start::stop);
            boolean managed = Supervisor.isNamedBy(context.environment());
            Reload reload = new Reload(settings, report, supervisor, context.clock(), managed);
            rereads.complete(reload::request);
            start.begin(once);
            try {
                return shipAgainIfRefused(options, report, how -> ship(how, report, supervisor, start, reload, board));
            } catch (IOException e) {
                start.program().outlive(e, report);
                throw managed ? UnitAdvice.of(e, plan().localArchive()) : e;
            } finally {
                start.over();
            }
        }
    }

    /** Ships with some options. */
    @FunctionalInterface
    interface Shipping {
        int with(ShipOptions options) throws IOException;
    }

    /**
     * A defect in how copies are recorded must not end shipping: every byte is stored if nobody looks for copies. Nor
     * must a damaged log, since a new start continues with another log.
     */
    static int shipAgainIfRefused(ShipOptions options, ShipReport report, Shipping shipping) throws IOException {
        for (ShipOptions how = options; ; ) {
            try {
                return shipping.with(how);
            } catch (UnreadableCommitException e) {
                if (!how.storage().copies()) {
                    throw e;
                }
                report.message(e.getMessage() + ". Continuing without looking for copies.");
                how = how.plainly();
            } catch (DamagedLogException e) {
                report.message(e.getMessage() + ". Continuing as at a start.");
                how = how.without(e.altered());
            }
        }
    }

    private int ship(
            ShipOptions options,
            ShipReport report,
            Supervisor supervisor,
            ShipStart start,
            Reload reload,
            StatusBoard board)
            throws IOException {
        try (WorkerThreads workers = new WorkerThreads("chagres-worker-", 4);
                Destination to = destination(options, report);
                BlobStore archive = start.open(to::open);
                Shipper shipper = start.open(() -> Shipper.open(options, archive, workers, Clock.systemUTC(), start));
                LoopWatch loop = new LoopWatch(shipper::hangsForMs, options.paths(), report)) {
            to.begin(shipper);
            hold.apply(shipper);
            List<String> concerns = ArchivePlace.concerns(plan());
            board.opened(
                    () -> ArchivePlace.addTo(reload.addTo(ProcessNumbers.addTo(shipper.metrics())), concerns),
                    shipper::filesAtRisk,
                    to::hasAccepted,
                    shipper::hangsForMs);
            report.started("version " + BuildVersion.text() + " ships " + options.follows() + " to " + store
                    + " as host "
                    + options.identity().hostName() + ArchivePlace.words(concerns) + "; the archive knows where "
                    + shipper.positions() + " files continue");
            start.opened(
                    () -> {
                        rate.hurry(Long.MAX_VALUE);
                        shipper.requestDrain();
                        loop.stops(drain.toMillis(), start::abandon);
                    },
                    () -> {
                        rate.hurry(drain.toMillis());
                        shipper.requestFlush();
                    });
            reload.opened(shipper::wake);
            NoticeWatch following = follow(shipper, report);
            try {
                int code = new ShipSession(shipper, report, supervisor, reload, to, MonotonicClock::nowMs)
                        .run(start.program());
                if (once && code == ExitCode.DONE && !SpoolOptions.isMeant(store)) {
                    report.shipped("look at it: chagres ls -l " + ShellWord.of(store) + " "
                            + ShellWord.of(options.identity().hostName() + ":**"));
                }
                return once && code == ExitCode.DONE && !shipper.foundAll() ? ExitCode.FAILED : code;
            } finally {
                start.closes(shipper.flushing());
                if (following != null) {
                    following.close();
                }
            }
        }
    }

    private Destination destination(ShipOptions options, ShipReport report) throws IOException {
        if (!SpoolOptions.isMeant(store)) {
            return () -> opened(report);
        }
        return spool.destination(store, caFile, options, context, report);
    }

    private BlobStore opened(ShipReport report) throws IOException {
        return rate.limit(BlobStores.open(archive(), true, report::message), context);
    }

    ShipPlan plan() throws IOException {
        return new ShipPlan(options(), archive(), store);
    }

    /** Returns the archive that the shipper writes into; empty when none is named. */
    private String archive() throws IOException {
        return SpoolOptions.isMeant(store)
                ? spool.archive(state.directory(context.environment()), hostName())
                        .toString()
                : ObjectAddress.with(store, TlsFiles.CA_FILE, caFile);
    }

    private String hostName() throws IOException {
        return host == null ? stdin.hostName(paths, Machine.current().hostName()) : host;
    }

    private @Nullable NoticeWatch follow(Shipper shipper, ShipReport report) {
        Provider provider = notice;
        return provider == null
                ? null
                : NoticeWatch.start(
                        provider,
                        context.environment(),
                        what -> {
                            report.message(what + "; committing at once from now on");
                            rate.hurry(Long.MAX_VALUE);
                            shipper.requestHaste(what);
                        },
                        report::message);
    }

    private StatusBoard board(ShipOptions options) {
        return new StatusBoard(
                new StatusBoard.About(BuildVersion.text(), options.identity().hostName(), store, options.follows()),
                context.clock(),
                ShipStatusText::members);
    }

    /** A path that does not exist yet can be followed, but once is now. */
    private static void checkThatPathsExist(ShipOptions options) throws IOException {
        for (String path : options.paths()) {
            int found = Glob.isPattern(path) ? 0 : Fd.tryOpen(Pathname.of(path), Fd.O_PATH, 0);
            if (found < 0) {
                throw new CommandFailure(
                        ExitCode.FAILED,
                        path + ": " + Errno.message(-found)
                                + ". Nothing was shipped; correct the path, or leave out --once to wait for it.");
            }
            if (found > 0) {
                Fd.ofValue(found).close();
            }
        }
    }

    /** Returns the lag that suits the archive, whose address is checked first. */
    private long lagMs() throws IOException {
        try {
            StoreAddress to = store.isEmpty() ? StoreAddress.parse(".") : BlobStores.check(archive());
            return maxLag == null ? BlobStores.suggestedLagMs(to) : maxLag.toMillis();
        } catch (StoreException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** Returns what is followed: the paths, and the sources of the file. */
    private List<Source> sources(long lagMs) {
        List<Source> all = new ArrayList<>(moreSources);
        if (!paths.isEmpty()) {
            long oldestMs = ignoreOlder == null ? 0 : ignoreOlder.toMillis();
            all.addFirst(new Source(paths, includes, excludes, lagMs, codec, oldestMs));
        }
        return all;
    }

    /** Returns the options with this machine's defaults. */
    ShipOptions options() throws IOException {
        boolean spools = SpoolOptions.isMeant(store);
        try {
            http.checkAddress();
            TlsFiles.check(caFile);
            rate.check(spools);
            stdin.require(paths, spools);
            if (spools) {
                spool.check(store, recipients.all());
            }
            long lagMs = lagMs();
            return new ShipOptions(
                    sources(lagMs),
                    new ShipOptions.Identity(hostName(), hostId, takeOver, state.directory(context.environment())),
                    new ShipOptions.Pace(
                            lagMs,
                            drain.toMillis(),
                            heartbeat.toMillis(),
                            poll == null ? 0 : poll.toMillis(),
                            Math.toIntExact(coalesce.toMillis())),
                    new ShipOptions.Storage(
                            level,
                            memory.bytes(),
                            !spools, // what was delivered is no longer there to compare with
                            recipients.all(),
                            sign),
                    startAt,
                    once,
                    followLinks);
        } catch (IllegalArgumentException | StoreException e) {
            throw new CommandFailure(ExitCode.USAGE, e.getMessage() + ". Try 'chagres ship --help'.");
        }
    }
}
