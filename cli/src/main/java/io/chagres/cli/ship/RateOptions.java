package io.chagres.cli.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.LimitedStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.text.TimedRate;
import io.chagres.linux.MonotonicClock;
import java.time.ZoneId;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much a ship may put into its archive a second; picocli fills its fields. */
final class RateOptions {
    @Option(
            names = "--limit-rate",
            paramLabel = "RATE",
            description = "Put at most this much a second into the archive on average, such as 10MiB; or between two"
                    + " times of the day, '08:00-18:00 10MiB', may be repeated. A drain and a notice lift it.")
    List<TimedRate> rates = List.of();

    private volatile @Nullable LimitedStore limited;

    /**
     * Checks whether a limit is of use.
     *
     * @throws IllegalArgumentException if it is not
     */
    void check(boolean spools) {
        if (!rates.isEmpty() && spools) {
            throw new IllegalArgumentException("--limit-rate is of no use where the archive is a spool");
        }
        if (rates.stream().filter(each -> each.from() == null).count() > 1) {
            throw new IllegalArgumentException(
                    "--limit-rate has two rates for any time; give one, and others as" + " '08:00-18:00 10MiB'");
        }
    }

    /** Stands before an archive, which is closed with what is returned. */
    BlobStore limit(BlobStore archive, CommandContext context) {
        if (rates.isEmpty()) {
            return archive;
        }
        LimitedStore slow = new LimitedStore(archive, ofNow(context), MonotonicClock::nowMs);
        limited = slow;
        return slow;
    }

    private LongSupplier ofNow(CommandContext context) {
        if (rates.size() == 1 && rates.getFirst().from() == null) {
            long always = rates.getFirst().bytesPerSecond();
            return () -> always;
        }
        ZoneId zone = context.zone().get();
        return () -> TimedRate.at(rates, context.clock().instant().atZone(zone).toLocalTime());
    }

    /** Lets bytes that wait for their turn go at once: bytes that are not safe soon may be lost. */
    void hurry(long ms) {
        LimitedStore slow = limited;
        if (slow != null) {
            slow.lift(ms);
        }
    }
}
