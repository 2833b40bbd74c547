package io.chagres.cli.read;

import io.chagres.archive.find.LineClock;
import io.chagres.archive.find.LineTimeFormat;
import io.chagres.archive.find.TimedLines;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.FileVersion;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.text.Words;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * {@code --line-since} and {@code --line-until}: a window by the times that stand in lines; picocli fills its fields.
 * Safe for any thread but for {@link #check}.
 */
final class LineTimeOptions {
    @Option(
            names = "--line-since",
            paramLabel = "TIME",
            description = "Only lines written at TIME or later, by the time in each; --since is about commits. A line"
                    + " without a time belongs to the one before it. How times are written is found out for each file"
                    + " and said: ISO 8601, syslog, klog, common log format, or seconds since 1970 or parts of them.")
    @Nullable
    Instant since;

    @Option(names = "--line-until", paramLabel = "TIME", description = "Only lines written up to TIME.")
    @Nullable
    Instant until;

    @Option(
            names = "--time-format",
            paramLabel = "FORMAT",
            description =
                    "How times of lines are written: iso, syslog, clf, klog, epoch, or in the letters of strftime(3)"
                            + " (default: found out). A time stands within the first 256 bytes of its line, of JSON"
                            + " also the last, and is in the time zone of this user ($TZ) unless it has one.")
    @Nullable
    String text;

    private @Nullable LineTimeFormat format;
    private ZoneId zone = ZoneOffset.UTC;
    private final Map<String, Long> files = new TreeMap<>();
    private long without;
    private String firstWithout = "";

    /** Takes what was given, and where the user is. */
    void check(CommandContext context) throws CommandFailure {
        String given = text;
        if (!isGiven()) {
            if (given != null) {
                throw new CommandFailure(ExitCode.USAGE, "--time-format belongs to --line-since or --line-until");
            }
            return;
        }
        zone = context.zone().get();
        try {
            format = given == null ? null : LineTimeFormat.of(given);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "--time-format " + e.getMessage());
        }
    }

    /** Says whether there is a window. */
    boolean isGiven() {
        return since != null || until != null;
    }

    /** Returns the window in words, empty when there is none. */
    String words() {
        return (since == null ? "" : ", lines since " + since) + (until == null ? "" : ", lines until " + until);
    }

    /** Returns what finds the lines of a version in the window; null without one. */
    @Nullable
    TimedLines of(FileVersion version) {
        return !isGiven()
                ? null
                : new TimedLines(new LineClock(
                        format,
                        since == null ? Long.MIN_VALUE : since.toEpochMilli(),
                        until == null ? Long.MAX_VALUE : until.toEpochMilli(),
                        zone,
                        version.openedMs(),
                        version.changedMs()));
    }

    /** Returns what finds the lines of a range of a version in the window; null without one. */
    @Nullable
    TimedLines of(FileVersion version, long start, long end, VersionContent content) {
        TimedLines lines = of(version);
        if (lines != null) {
            long[] at = {start};
            lines.over(
                    target -> {
                        int length = (int) Math.min(target.byteSize(), end - at[0]);
                        int got = length <= 0 ? 0 : content.read(version, at[0], target.asSlice(0, length));
                        at[0] += got;
                        return got;
                    },
                    start);
        }
        return lines;
    }

    /** Takes what was found out about a file. */
    synchronized void note(QueriedFile file, @Nullable TimedLines lines) {
        if (lines == null || !lines.hasLines()) {
            return;
        }
        LineTimeFormat known = lines.format();
        if (known != null && lines.hasTimes()) {
            files.merge(known.toString(), 1L, Long::sum);
        } else {
            firstWithout = without == 0 ? file.toString() : firstWithout;
            without++;
        }
    }

    /** Says how times of lines were read. */
    synchronized void say(String command, CommandContext context) {
        if (files.isEmpty() && without == 0) {
            return;
        }
        String found = files.entrySet().stream()
                .map(each -> each.getKey() + " in " + Words.plural(each.getValue(), "file"))
                .collect(Collectors.joining(", "));
        if (format == null && !found.isEmpty()) {
            context.err().println("chagres " + command + ": times of lines are read as " + found);
        }
        if (without > 0) {
            context.err()
                    .println("chagres " + command + ": no time is known of any line of " + firstWithout
                            + (without == 1 ? "" : " and " + (without - 1) + " more")
                            + ", and so none is shown; --time-format says how it is written");
        }
    }
}
