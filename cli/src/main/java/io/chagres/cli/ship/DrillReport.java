package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.linux.MonotonicClock;
import io.chagres.ship.DrainForecast;
import io.chagres.ship.DrillAnswer;
import io.chagres.ship.RunningShipper;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Asks running shippers what a drain would take now, without one, and says it. Immutable.
 *
 * @param withinMs after what time the machine would vanish, in milliseconds
 * @param json whether what is said is JSON
 * @param quiet whether only what is not safe is said, unless it is JSON
 */
record DrillReport(CommandContext context, long withinMs, boolean json, boolean quiet) {
    private static final long LOOK_EVERY_MS = 20;

    /**
     * Asks one.
     *
     * @param untilMs how long its answer is waited for
     * @return the exit code: done only where a drain is known to be over in time and to leave nothing behind
     */
    int ask(RunningShipper shipper, long untilMs) throws IOException {
        long before = shipper.drilled().count();
        shipper.askDrill();
        DrillAnswer answer = shipper.drilled();
        while (answer.count() == before && shipper.runs() && MonotonicClock.nowMs() < untilMs) {
            LockSupport.parkNanos(Duration.ofMillis(LOOK_EVERY_MS).toNanos());
            answer = shipper.drilled();
        }
        DrainForecast forecast = answer.count() == before ? null : answer.forecast();
        boolean safe = forecast != null && forecast.isSafeWithin(withinMs);
        if (json) {
            context.out().line(json(shipper.pid(), forecast, withinMs));
        } else if (!quiet || !safe) {
            context.out().line(text(shipper.pid(), forecast, withinMs));
        }
        return safe ? ExitCode.DONE : ExitCode.AT_RISK;
    }

    /** Returns what an answer says to a person; null for none. */
    static String text(long pid, @Nullable DrainForecast forecast, long withinMs) {
        String ship = "chagres ship (pid " + pid + "): ";
        String within = Durations.format(withinMs);
        if (forecast == null) {
            return ship + "no answer, so how long a drain would take is unknown, and so is what is at risk after "
                    + within;
        }
        String duration = forecast.durationMs() < 0
                ? "how long a drain would take is unknown: " + forecast.why()
                : "a drain would take " + Durations.format(forecast.durationMs());
        return ship + duration + ". At risk after " + within + ": " + left(forecast, withinMs) + "\n  now: "
                + bytes(forecast.bytes()) + " to ship, " + bytes(forecast.unverifiedBytes()) + " to compare, "
                + bytes(forecast.stuckBytes()) + " lost or unreadable"
                + "\n  measured: scan " + time(forecast.scanMs()) + ", slowest commit " + time(forecast.commitMs())
                + ", shipping " + rate(forecast.rate()) + ", comparing " + rate(forecast.compareRate())
                + ", files grow by " + rate(forecast.writeRate()) + "; the store was heard "
                + Durations.format(forecast.heardMs()) + " ago";
    }

    private static String left(DrainForecast forecast, long withinMs) {
        long left = forecast.leftBytes(withinMs);
        long most = forecast.mostBytes(withinMs);
        if (forecast.beyond() == DrainForecast.Beyond.INPUT) {
            return "unknown, since " + forecast.whyLeft();
        }
        return left < 0 && most >= 0 ? "unknown, at most " + ByteSize.format(most) : bytes(left);
    }

    private static String bytes(long number) {
        return number < 0 ? "unknown" : ByteSize.format(number);
    }

    private static String time(long ms) {
        return ms < 0 ? "unknown" : ms < 1000 ? ms + " ms" : Durations.format(ms);
    }

    private static String rate(long bytesPerSecond) {
        return bytesPerSecond < 0 ? "unknown" : ByteSize.format(bytesPerSecond) + "/s";
    }

    /** Returns what an answer says to a program; null for none. An unknown value is null there. */
    static String json(long pid, @Nullable DrainForecast forecast, long withinMs) {
        JsonWriter line = new JsonWriter().beginObject().member("pid", pid).member("drill", true);
        line.member("withinMs", withinMs).member("answered", forecast != null);
        line.knownMember("drainMs", forecast == null ? -1 : forecast.durationMs());
        line.knownMember("leftBytes", forecast == null ? -1 : forecast.leftBytes(withinMs));
        line.knownMember("mostBytes", forecast == null ? -1 : forecast.mostBytes(withinMs));
        line.member("safe", forecast != null && forecast.isSafeWithin(withinMs));
        if (forecast != null) {
            line.member("why", forecast.whyLeft());
            line.knownMember("bytes", forecast.bytes());
            line.knownMember("stuckBytes", forecast.stuckBytes());
            line.knownMember("unverifiedBytes", forecast.unverifiedBytes());
            line.knownMember("scanMs", forecast.scanMs());
            line.knownMember("commitMs", forecast.commitMs());
            line.knownMember("shippedPerSecond", forecast.rate());
            line.knownMember("comparedPerSecond", forecast.compareRate());
            line.knownMember("writtenPerSecond", forecast.writeRate());
            line.knownMember("heardMs", forecast.heardMs());
        }
        return line.endObject().toString();
    }
}
