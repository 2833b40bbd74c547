package io.chagres.cli.ship;

import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.StoreAddress;
import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.Converters;
import io.chagres.cli.command.ExitCode;
import io.chagres.foreign.Errno;
import io.chagres.forward.Sinks;
import io.chagres.linux.Fd;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.OwnPaths;
import io.chagres.ship.ShipOptions;
import io.chagres.ship.ShipPreview;
import io.chagres.ship.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The plan of a ship: its options and the store of its bytes. Immutable.
 *
 * @param store the archive's address, that of the spool where there is one; empty when none is named
 * @param to where it goes, as it was named
 */
public record ShipPlan(ShipOptions options, String store, String to) {
    private static final int STEP_MS = 50;

    /** Returns what a ship would do by a configuration file. */
    public static ShipPlan ofFile(CommandContext context, String file) throws IOException {
        ShipCommand command = ShipSettings.ofFile(context, file).command().complete();
        return command.plan();
    }

    /** Returns what it would do by these, and else by its defaults. */
    public static ShipPlan of(CommandContext context, List<String> paths, @Nullable String store) throws IOException {
        ShipCommand command = new ShipCommand(context);
        CommandLine line = new CommandLine(command);
        Converters.register(line, context);
        List<String> arguments = new ArrayList<>(store == null ? List.of() : List.of("--to=" + store));
        arguments.add("--");
        arguments.addAll(paths);
        line.parseArgs(arguments.toArray(String[]::new));
        return command.plan();
    }

    /** Returns the file that is read when nothing is named, or null when it is not there. */
    public static @Nullable String usualFile() {
        return Files.exists(Path.of(ShipSettings.DEFAULT_FILE)) ? ShipSettings.DEFAULT_FILE : null;
    }

    /** Says whether the archive only holds what is on its way into Kafka. */
    public boolean isSpool() {
        return SpoolOptions.isMeant(to);
    }

    /** Says whether the archive is in a cloud, where requests are paid for. */
    public boolean isPaid() {
        return !store.isEmpty() && localArchive() == null;
    }

    /** Returns the archive's directory, or null when it is in a cloud or not named. */
    public @Nullable Pathname localArchive() {
        try {
            StoreAddress address = StoreAddress.parse(store);
            return address.isDirectory() ? Pathname.of(address.path()) : null;
        } catch (StoreException e) {
            return null; // empty: what else is refused makes no plan
        }
    }

    /**
     * Looks whether the archive, or the spool, can be a directory where it is named.
     *
     * @throws CommandFailure when a file is in its place
     */
    void checkPlace() throws IOException {
        Pathname local = localArchive();
        for (Pathname at = local == null ? null : local.absolute(); at != null; at = at.parent()) {
            int opened = Fd.tryOpen(at, Fd.O_PATH | Fd.O_DIRECTORY, 0);
            if (opened >= 0) {
                Fd.ofValue(opened).close();
                return;
            }
            if (opened == -Errno.ENOTDIR) {
                String option = isSpool() ? "--spool " : "--to ";
                throw new CommandFailure(ExitCode.USAGE, option + at + " is no directory");
            }
        }
    }

    /** Says whether what writes there is installed, so that the address and what belongs to it could be checked. */
    boolean isChecked() throws StoreException {
        return isSpool() ? Sinks.isInstalled(to) : BlobStores.isInstalled(store);
    }

    /** Returns the shortest lag of all sources, in milliseconds. */
    public long lagMs() {
        return options.sources().stream()
                .mapToLong(Source::maxLagMs)
                .min()
                .orElse(options.pace().maxLagMs());
    }

    /** Finds what would be followed; the caller closes it. */
    public ShipPreview preview(long patienceMs) throws IOException {
        ShipPreview preview = new ShipPreview(options, ownPaths(), Clock.systemUTC());
        long untilMs = MonotonicClock.nowMs() + patienceMs;
        boolean quiet = false;
        while (!quiet && MonotonicClock.nowMs() < untilMs) { // a tree that is never quiet is seen as far as it is
            quiet = preview.step(STEP_MS);
        }
        preview.sayUnmatched();
        return preview;
    }

    /** Returns the directories that this ship would write into. */
    OwnPaths ownPaths() {
        List<Pathname> own = new ArrayList<>();
        own.add(options.identity().stateDirectory());
        Pathname archive = localArchive();
        if (archive != null) {
            own.add(archive);
        }
        return new OwnPaths(own);
    }
}
