package io.chagres.cli.ship;

import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.ship.DrainForecast;
import org.jspecify.annotations.Nullable;

/** Says what running shippers answered when they were asked what a drain would take. Stateless. */
final class DrillReport {
    private DrillReport() {}

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
