package io.chagres.spark;

import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.query.ArchiveReader;
import io.chagres.archive.query.Query;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * A question to an archive. Immutable.
 *
 * @param archive the archive
 * @param table which table
 * @param at the moment to read; null for now
 * @param since only lines that begin in what was committed after it; null for all
 * @param until only what was committed up to it; null for all
 * @param versions whether every version is read, not only the one each path has or had last
 * @param splitBytes how many bytes of files a task takes
 * @param passesOver whether what is damaged is left out and said, instead of ending the query
 */
record Question(
        ArchiveAccess archive,
        ArchiveTable table,
        @Nullable Instant at,
        @Nullable Instant since,
        @Nullable Instant until,
        boolean versions,
        long splitBytes,
        boolean passesOver)
        implements Serializable {
    /** Fewer bytes are not worth a task, and more keep one busy while others have nothing to do. */
    static final long SPLIT_BYTES = 64L << 20;

    private static final List<String> OPTIONS = List.of(
            "path",
            "table",
            "at",
            "timestampAsOf",
            "since",
            "until",
            "versions",
            "splitBytes",
            "identity",
            "trust",
            "damaged");
    private static final System.Logger LOGGER = System.getLogger(Question.class.getName());

    /**
     * Reads the options of a reader.
     *
     * @throws IllegalArgumentException when one makes no sense; its message is for people
     */
    static Question of(CaseInsensitiveStringMap options) {
        String store = options.get("path");
        if (store == null) {
            throw new BadOptionException("one archive is needed: load(\"s3://bucket/archive\")");
        }
        for (String name : options.asCaseSensitiveMap().keySet()) {
            if (OPTIONS.stream().noneMatch(name::equalsIgnoreCase)) {
                throw new BadOptionException(
                        "there is no option '" + name + "'; there are " + String.join(", ", OPTIONS));
            }
        }
        Instant asOf = instant(options, "timestampAsOf");
        return new Question(
                new ArchiveAccess(store, options.get("identity"), options.get("trust")),
                table(options.getOrDefault("table", "lines")),
                asOf != null ? asOf : instant(options, "at"),
                instant(options, "since"),
                instant(options, "until"),
                flag(options.getOrDefault("versions", "false")),
                splitBytes(options.get("splitBytes")),
                passesOver(options.getOrDefault("damaged", "fail")));
    }

    private static ArchiveTable table(String name) {
        try {
            return ArchiveTable.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new BadOptionException("there is no table '" + name + "'; there are lines, files, commits and hosts");
        }
    }

    private static boolean flag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new BadOptionException("versions is true or false, not '" + text + "'");
        };
    }

    private static boolean passesOver(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "skip" -> true;
            case "fail" -> false;
            default -> throw new BadOptionException("damaged is fail or skip, not '" + text + "'");
        };
    }

    private static long splitBytes(@Nullable String text) {
        try {
            long bytes = text == null ? SPLIT_BYTES : Long.parseLong(text);
            if (bytes > 0) {
                return bytes;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new BadOptionException("splitBytes is a number of bytes, not '" + text + "'");
    }

    private static @Nullable Instant instant(CaseInsensitiveStringMap options, String name) {
        String text = options.get(name);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new BadOptionException(name + " is no time: '" + text + "'; one is 2026-11-22T09:00:00Z");
        }
    }

    PointInTime moment() {
        return at == null ? PointInTime.NOW : PointInTime.time(at.toEpochMilli());
    }

    /** Returns a failure to read as Spark passes it on: for an encrypted archive it says which option is missing. */
    UncheckedIOException failure(IOException e) {
        boolean locked = e instanceof EncryptedException && archive.identity() == null;
        return new UncheckedIOException(
                locked
                        ? new IOException(
                                "the archive is encrypted: name the file of a key that opens it,"
                                        + " option(\"identity\", \"/path/of/key.txt\")",
                                e)
                        : e);
    }

    /** Opens the archive for reading; the caller closes it. What is damaged is passed over if it is to be. */
    ArchiveReader reader() throws IOException {
        LocalTables tables = LocalTables.unnamed(
                Pathname.of(System.getProperty("java.io.tmpdir")), LocalTables.LARGE_VERSIONS, () -> {});
        ArchiveReader reader = ArchiveReader.of(archive.open(false), tables);
        if (passesOver) {
            reader.passOver((host, cause) ->
                    LOGGER.log(System.Logger.Level.WARNING, "left out of " + host.title() + ": " + cause.getMessage()));
        }
        return reader;
    }

    /** Returns what is asked of the archive, as far as filters of hosts and paths say it. */
    Query query(RowFilter filter) {
        boolean ofLines = table == ArchiveTable.LINES;
        return new Query(
                List.of(), moment(), ofLines ? since : null, ofLines ? until : null, versions, new Query.Filter() {
                    @Override
                    public boolean mayTake(HostRegistry.Owner host) {
                        return filter.mayHold(Map.of("host", host.name()));
                    }

                    @Override
                    public boolean takes(HostRegistry.Owner host, Pathname path) {
                        return filter.mayHold(Map.of("host", host.name(), "path", path.toString()));
                    }
                });
    }
}
