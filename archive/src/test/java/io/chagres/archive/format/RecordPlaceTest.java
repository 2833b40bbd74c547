package io.chagres.archive.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the document says of the places of records is what the code says. */
class RecordPlaceTest {
    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| ([a-z' ]+) \\| (.*) \\|");
    private static final Pattern ONLY = Pattern.compile("Only in ([a-z, ]+)$");
    private static final Map<String, Integer> OBJECTS = Map.of(
            "commits", FixedHeader.COMMIT,
            "checkpoints", FixedHeader.CHECKPOINT,
            "histories", FixedHeader.HISTORY,
            "tables", FixedHeader.TABLE);

    private static Map<Integer, List<Integer>> documented() throws IOException {
        Map<Integer, List<Integer>> places = new TreeMap<>();
        List<String> lines = Files.readAllLines(Repository.root().resolve("docs/FORMAT.md"));
        int header = lines.indexOf("| kind | record | fields |");
        for (String line : lines.subList(header + 2, lines.size())) {
            Matcher row = ROW.matcher(line);
            if (!row.matches()) {
                break;
            }
            Matcher only = ONLY.matcher(row.group(3).replace(", behind all others", ""));
            List<Integer> in = !only.find()
                    ? OBJECTS.values().stream().sorted().toList()
                    : OBJECTS.entrySet().stream()
                            .filter(each ->
                                    List.of(only.group(1).split(", | and ")).contains(each.getKey()))
                            .map(Map.Entry::getValue)
                            .sorted()
                            .toList();
            places.put(Integer.parseInt(row.group(1)), in);
        }
        return places;
    }

    private static int kindOf(LogRecord record) {
        RecordWriter writer = new RecordWriter();
        writer.write(record);
        return writer.array()[0];
    }

    @Test
    void isWhatTheDocumentSays() throws IOException {
        Map<Integer, List<Integer>> documented = documented();
        Map<Integer, List<Integer>> coded = new TreeMap<>();
        for (LogRecord record : Samples.all()) {
            coded.put(
                    kindOf(record),
                    new TreeSet<>(OBJECTS.values())
                            .stream()
                                    .filter(object -> RecordPlace.holds(object, record))
                                    .toList());
        }
        assertThat(coded).isEqualTo(documented).hasSize(23);
    }
}
