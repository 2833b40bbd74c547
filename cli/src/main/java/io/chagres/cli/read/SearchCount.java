package io.chagres.cli.read;

import io.chagres.cli.text.JsonWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** The counts of {@code grep --stats}. Safe for any thread. */
final class SearchCount {
    private static final double MS_PER_SECOND = 1e3;

    private final LongAdder matches = new LongAdder();
    private final LongAdder lines = new LongAdder();
    private final LongAdder filesWith = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder searched = new LongAdder();
    private final LongAdder ruledOut = new LongAdder();
    private final LongAdder ruledOutHosts = new LongAdder();

    /** Takes a line that is shown because it matches. */
    void line(long matchesInIt) {
        matches.add(matchesInIt);
    }

    /**
     * Takes a file.
     *
     * @param bytes that were searched
     * @param without that filters ruled out
     */
    void file(long matchingLines, long bytes, long without) {
        files.increment();
        lines.add(matchingLines);
        filesWith.add(matchingLines > 0 ? 1 : 0);
        searched.add(bytes);
        ruledOut.add(without);
    }

    /** Takes a host that filters ruled out entirely; nobody knows what files it has. */
    void hostRuledOut() {
        ruledOutHosts.increment();
    }

    /** Returns it as lines, in the order of ripgrep. */
    List<String> lines(long elapsedMs) {
        return List.of(
                "",
                matches + " matches",
                lines + " matched lines",
                filesWith + " files contained matches",
                files + " files searched",
                searched + " bytes searched",
                ruledOut + " bytes and " + ruledOutHosts + " whole hosts ruled out by filters",
                String.format(Locale.ROOT, "%.3f seconds", elapsedMs / MS_PER_SECOND));
    }

    /** Returns it as the last message of {@code rg --json}. */
    JsonWriter json(long elapsedMs) {
        JsonWriter json = new JsonWriter().beginObject().member("type", "summary");
        json.name("data").beginObject().member("elapsed_ms", elapsedMs);
        json.name("stats").beginObject();
        json.member("matches", matches.sum()).member("matched_lines", lines.sum());
        json.member("searches_with_match", filesWith.sum()).member("searches", files.sum());
        json.member("bytes_searched", searched.sum()).member("bytes_ruled_out", ruledOut.sum());
        return json.member("hosts_ruled_out", ruledOutHosts.sum())
                .endObject()
                .endObject()
                .endObject();
    }
}
