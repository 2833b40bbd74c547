package io.chagres.archive.sign;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.age.KeyLines;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys whose signatures somebody believes: lines {@code HOST KEY} for the commits of a host, which may have several
 * keys. The rest of a line is for people. Immutable.
 */
public final class TrustList {
    private final Map<String, Set<VerifyKey>> keys = new HashMap<>();

    private record Line(String of, VerifyKey key) {
        static Line parse(String line) {
            String[] words = line.split("\\s+", 3);
            if (words.length < 2 || !ArchiveLayout.isHostId(words[0])) {
                throw new IllegalArgumentException("a line is 'HOST-ID KEY'");
            }
            return new Line(words[0], VerifyKey.parse(words[1]));
        }
    }

    private TrustList(List<Line> lines) {
        lines.forEach(
                line -> keys.computeIfAbsent(line.of, of -> new HashSet<>()).add(line.key));
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

    /** Says whether a key may sign the commits of a host. */
    public boolean ofHost(String hostId, VerifyKey key) {
        return keys.getOrDefault(hostId, Set.of()).contains(key);
    }
}
