package io.chagres.cli.dedupe;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.ProgressLine;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.dedupe.DedupeOptions;
import io.chagres.dedupe.DedupeSession;
import io.chagres.dedupe.PathTypeException;
import io.chagres.linux.PathPattern;
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

/** {@code chagres dedupe}: lets equal files share their blocks. */
@Command(
        name = "dedupe",
        header = "Let equal files share their blocks (XFS with reflink, btrfs).",
        description = "Looks for files of equal content below the paths and frees the space of all but one. The"
                + " kernel compares every byte before blocks are shared, and locks both files meanwhile: no content"
                + " and no time of a file changes, also while others write. No symbolic link is followed. A file that"
                + " cannot be shared is named, and the run continues. It may be interrupted at any moment.",
        footer = {
            "",
            "Examples:",
            "  chagres dedupe /srv/images",
            "  chagres dedupe /srv --dry-run            what would be freed, by where the data lies",
            "  chagres dedupe /srv --db /var/lib/dedupe.db    again and again: looks at changes only",
            "  chagres dedupe /srv --follow             stay, and look at files when they are complete",
            "  chagres dedupe /home --min-size 1MiB --exclude '**/.cache' --one-file-system",
            "  chagres dedupe /data --dry-run --verify --json    report of equal files on any file system",
            "",
            "Exit codes: 0 done; 1 some files could not be read or shared; 2 usage; 130 interrupted (--follow: 0);"
                    + " 143 ended by SIGTERM before it began."
        })
public final class DedupeCommand implements Callable<Integer> {
    /** The number of threads beyond the processors: they wait for the disk. */
    private static final int WAITING_THREADS = 3;

    private final CommandContext context;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "Directories, with all below, and files.")
    List<String> paths = List.of();

    @Option(names = "--dry-run", description = "Read and compare, say what would be shared and freed; change nothing.")
    boolean dryRun;

    @Option(names = "--verify", description = "With --dry-run: compare all bytes instead of hashes of 64 bits.")
    boolean verify;

    @Option(
            names = "--min-size",
            paramLabel = "SIZE",
            defaultValue = "1",
            description = "Pass over smaller files (default: ${DEFAULT-VALUE}).")
    ByteSize minSize = new ByteSize(1);

    @Option(names = "--include", paramLabel = "GLOB", description = "Only files whose path matches; may be repeated.")
    List<String> includes = List.of();

    @Option(
            names = "--exclude",
            paramLabel = "GLOB",
            description = "No files and directories whose path matches; may be repeated.")
    List<String> excludes = List.of();

    @Option(
            names = {"-x", "--one-file-system"},
            description = "Do not leave the file system (on btrfs: the subvolume) of each path.")
    boolean oneFileSystem;

    @Option(names = "--largest-first", description = "Begin with the largest files.")
    boolean largestFirst;

    @Option(
            names = "--db",
            paramLabel = "FILE",
            description = "Remember here what was seen, so that the next run over the same paths opens only files whose"
                    + " size or times changed, and those of their size.")
    @Nullable
    String database;

    @Option(names = "--sparsify", description = "Also turn blocks of zeros into holes, which frees them.")
    boolean sparsify;

    @Option(
            names = "--blocks",
            description = "Also share equal ranges within files that differ elsewhere. Reads every file, and remembers"
                    + " some 40 bytes for each block. On btrfs the space of an extent is free only when none of it is"
                    + " used.")
    boolean blocks;

    @Option(
            names = "--block-size",
            paramLabel = "SIZE",
            defaultValue = "64KiB",
            description = "Ranges begin at multiples of this: a power of two, 4KiB to 512KiB"
                    + " (default: ${DEFAULT-VALUE}).")
    ByteSize blockSize = new ByteSize(65536);

    @Option(
            names = "--min-extent",
            paramLabel = "SIZE",
            defaultValue = "64KiB",
            description = "Leave shorter ranges alone (default: ${DEFAULT-VALUE}).")
    ByteSize minExtent = new ByteSize(65536);

    @Option(
            names = "--follow",
            description = "Stay, and look at files that appear or change when they were left alone for --settle.")
    boolean follow;

    @Option(
            names = "--settle",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "How long nothing may change before --follow looks (default: ${DEFAULT-VALUE}).")
    Duration settle = Duration.ZERO;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "How many work at once at most (default: three more than processors). More than there are"
                    + " processors help only where files come from a disk.")
    int threads = Runtime.getRuntime().availableProcessors() + WAITING_THREADS;

    @Option(
            names = {"-v", "--verbose"},
            description = "Name each file that shares blocks now, or seemed equal and is not.")
    boolean verbose;

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public DedupeCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        DedupeOptions options = options();
        DedupeSession.Phases phases = phases();
        ProgressLine progress = new ProgressLine(context, output.json || output.quiet);
        DedupeReport.Form form = new DedupeReport.Form(dryRun, verbose, output.json, output.quiet);
        DedupeReport report = new DedupeReport(context.out(), progress, form);
        try (WorkerThreads workers = new WorkerThreads("chagres-dedupe-", threads);
                DedupeSession session = new DedupeSession(options, phases, context.clock(), report, workers, threads)) {
            report.onFailure(session::stop);
            context.termination().onSignal(session::stop);
            List<Pathname> roots = paths.stream().map(Pathname::of).toList();
            if (follow) {
                session.follow(roots, settle.toMillis());
                return ExitCode.DONE;
            }
            session.run(roots);
            if (session.isStopped()) {
                progress.message(
                        "chagres dedupe: interrupted; what is shared stays shared, and the next run continues");
                return ExitCode.INTERRUPTED;
            }
            return report.isComplete() ? ExitCode.DONE : ExitCode.FAILED;
        } catch (PathTypeException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        } finally {
            progress.end();
        }
    }

    private DedupeSession.Phases phases() throws CommandFailure {
        if (threads < 1 || threads > 256) {
            throw new CommandFailure(ExitCode.USAGE, "--threads must be between 1 and 256");
        }
        long block = blockSize.bytes();
        if (Long.bitCount(block) != 1 || block < 4096 || block > 512 * 1024) {
            throw new CommandFailure(ExitCode.USAGE, "--block-size must be a power of two from 4 KiB to 512 KiB");
        }
        return new DedupeSession.Phases(sparsify, blocks ? (int) block : 0, minExtent.bytes());
    }

    private DedupeOptions options() throws CommandFailure {
        if (follow && dryRun) {
            throw new CommandFailure(ExitCode.USAGE, "--follow and --dry-run exclude each other");
        }
        if (verify && !dryRun) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--verify belongs to --dry-run: otherwise the kernel compares every byte anyway");
        }
        try {
            return new DedupeOptions(
                    Math.max(1, minSize.bytes()),
                    includes.stream().map(PathPattern::of).toList(),
                    excludes.stream().map(PathPattern::of).toList(),
                    oneFileSystem,
                    largestFirst,
                    dryRun,
                    verify,
                    database == null ? null : Pathname.of(database));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, e.getMessage() + ". Try 'chagres dedupe --help'.");
        }
    }
}
