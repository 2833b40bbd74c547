package io.chagres.faultfs;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code chagres-faultfs BACKING MOUNTPOINT}: mounts, and serves until it is unmounted or ended. */
@Command(
        name = "chagres-faultfs",
        header = "Shows a directory at another path, where requests fail as rules say and power can be cut.",
        subcommands = {RuleCommand.class, PowerCutCommand.class},
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "",
            "Examples:",
            "  chagres-faultfs --rule 'op=write path=/db/** error=ENOSPC after=100' /srv/files /mnt/faults",
            "  chagres-faultfs --power-loss --socket /run/faults.sock /srv/files /mnt/faults &",
            "  chagres-faultfs rule add --socket /run/faults.sock op=fsync error=EIO times=1",
            "  chagres-faultfs power-cut --socket /run/faults.sock",
            "",
            "A rule: error=NAME, bytes=N or delay=TIME; op=NAME,... of requests; path=GLOB from the mount point on;"
                    + " after=N that pass first; times=N that it meets; probability=P.",
            "Exit codes: 0 done; 1 failed; 2 usage. docs/FAULTFS.md says what survives a power cut."
        })
final class FaultFsCommand implements Callable<Integer> {
    private final PrintStream out;
    private final CountDownLatch ended = new CountDownLatch(1);

    @Spec
    CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help and exit.")
    boolean help;

    @Option(names = "--rule", paramLabel = "RULE", description = "A rule that holds from the start; may be repeated.")
    List<String> rules = new ArrayList<>();

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description = "Take orders at this UNIX socket, which is made for this user only.")
    @Nullable
    Path socket;

    @Option(
            names = "--power-loss",
            description =
                    "Remember what was not synced, so that 'power-cut' can undo it. Nobody else may change BACKING.")
    boolean powerLoss;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "Repeat the random decisions of the run that printed this number.")
    @Nullable
    Long seed;

    @Option(names = "--allow-other", description = "Let other users use the mount.")
    boolean allowOther;

    @Parameters(index = "0", arity = "0..1", paramLabel = "BACKING", description = "The directory with the files.")
    @Nullable
    Path backing;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "MOUNTPOINT",
            description = "An empty directory where they are seen.")
    @Nullable
    Path mountPoint;

    FaultFsCommand(PrintStream out) {
        this.out = out;
    }

    PrintStream out() {
        return out;
    }

    @Override
    @SuppressWarnings("try") // the socket only has to be closed
    public Integer call() throws IOException, InterruptedException {
        if (backing == null || mountPoint == null) {
            throw new ParameterException(spec.commandLine(), "BACKING and MOUNTPOINT are needed");
        }
        List<FaultRule> parsed = rules.stream().map(this::parsed).toList();
        long used = seed == null ? new SplittableRandom().nextLong(Long.MAX_VALUE) : seed;
        try (FaultMount mount = FaultMount.mount(backing, mountPoint, powerLoss, allowOther)) {
            RuleList list = new RuleList(mount, new SplittableRandom(used));
            parsed.forEach(list::add);
            Thread atExit = Thread.ofPlatform().name("faultfs-exit").unstarted(() -> endAndWait(mount));
            Runtime.getRuntime().addShutdownHook(atExit);
            if (socket == null) {
                serve(mount, used);
            } else {
                try (ControlServer control = ControlServer.open(mount, list, socket)) {
                    serve(mount, used);
                }
            }
            removeHook(atExit);
        } finally {
            ended.countDown();
        }
        return 0;
    }

    /** Ends the mount after a signal. */
    private void endAndWait(FaultMount mount) {
        mount.close();
        try {
            ended.await(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(FaultMount mount, long used) throws InterruptedException {
        out.println("mounted " + backing + " at " + mountPoint + " (seed " + used + ")");
        out.flush();
        mount.join();
    }

    private static void removeHook(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // It is what ended this.
        }
    }

    private FaultRule parsed(String rule) {
        try {
            return FaultRule.parse(rule);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--rule '" + rule + "': " + e.getMessage());
        }
    }
}
