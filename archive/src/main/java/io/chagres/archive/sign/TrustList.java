package io.chagres.archive.sign;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.age.KeyLines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys whose signatures somebody believes: lines {@code HOST KEY} for the commits of a host, and {@code compact
 * HOST KEY}, or with {@code *} for every host, for what compaction makes of them. A host may have several keys of
 * either kind, and none counts as one of the other. The rest of a line is for people. Immutable.
 */
public final class TrustList {
    private static final String COMPACT = "compact";
    private static final String ALL = "*";

    private final Set<Line> lines;

    /** A line.
     *
     * @param role empty for the key of a host itself
     */
    private record Line(String role, String of, VerifyKey key) {
        static Line parse(String line) {
            boolean compacts = line.startsWith(COMPACT + " ");
            String[] words = (compacts ? line.substring(COMPACT.length()).strip() : line).split("\\s+", 3);
            boolean isOf = ArchiveLayout.isHostId(words[0]) || (compacts && words[0].equals(ALL));
            if (words.length < 2 || !isOf) {
                throw new IllegalArgumentException("a line is 'HOST-ID KEY', or 'compact HOST-ID KEY' with * for all");
            }
            return new Line(compacts ? COMPACT : "", words[0], VerifyKey.parse(words[1]));
        }
    }

    private TrustList(List<Line> lines) {
        this.lines = new HashSet<>(lines);
    }

    /**
     * Takes the lines of a file.
     *
     * @param file its name, for messages
     */
    public static TrustList read(String file, List<String> lines) throws IOException {
        return new TrustList(KeyLines.read(file, lines, Line::parse, "it names no key"));
    }

    /** Returns the line that lets somebody believe what a host signs. */
    public static String line(String hostId, VerifyKey key) {
        return hostId + " " + key;
    }

    /** Returns the line that lets somebody believe what a compactor signs, of every host. */
    public static String lineOfCompactor(VerifyKey key) {
        return COMPACT + " " + ALL + " " + key;
    }

    TrustList andCompactor(VerifyKey key) {
        List<Line> more = new ArrayList<>(lines);
        more.add(new Line(COMPACT, ALL, key));
        return new TrustList(more);
    }

    /** Says whether a key may sign the commits of a host. */
    public boolean ofHost(String hostId, VerifyKey key) {
        return lines.contains(new Line("", hostId, key));
    }

    /** Says whether a key may sign what compaction makes of a host. */
    public boolean mayCompact(String hostId, VerifyKey key) {
        return lines.contains(new Line(COMPACT, hostId, key)) || lines.contains(new Line(COMPACT, ALL, key));
    }
}
