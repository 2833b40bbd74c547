package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.text.JsonWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;

/** Lines for a log, each with how much it matters. Confined to one thread. */
final class LogLines {
    /** How a line is written. */
    enum Format {
        /** As people read it; with the priorities of journald where that reads. */
        TEXT,
        /** As one JSON object. */
        JSON
    }

    /** How much a line matters, by the numbers of syslog(3). */
    enum Level {
        ERROR(3),
        WARNING(4),
        NOTICE(5),
        INFO(6);

        private final int priority;

        Level(int priority) {
            this.priority = priority;
        }
    }

    private final PrintStream err;
    private final Format format;
    private final boolean journald;
    private final InstantSource clock;

    LogLines(PrintStream err, Format format, boolean journald, InstantSource clock) {
        this.err = err;
        this.format = format;
        this.journald = journald;
        this.clock = clock;
    }

    /** Returns the lines of a command's standard error. */
    static LogLines of(CommandContext context, Format format) {
        String stream = context.environment().getOrDefault("JOURNAL_STREAM", "");
        return new LogLines(context.err(), format, isJournal(stream), context.clock());
    }

    /** Says whether standard error still is what the service manager connected, see systemd.exec(5). */
    private static boolean isJournal(String stream) {
        try {
            String inode = stream.substring(stream.indexOf(':') + 1);
            return !inode.isEmpty()
                    && Files.readSymbolicLink(Path.of("/proc/self/fd/2"))
                            .toString()
                            .equals("socket:[" + inode + "]");
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes one line. */
    void line(Level level, String message) {
        switch (format) {
            case TEXT -> err.println((journald ? "<" + level.priority + ">" : "") + "chagres ship: " + message);
            case JSON -> {
                JsonWriter json = new JsonWriter().beginObject().timeMember("time", clock.millis());
                json.member("level", level.name().toLowerCase(Locale.ROOT)).member("message", message);
                err.println(json.endObject());
            }
        }
    }
}
