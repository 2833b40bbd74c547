package io.chagres.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says where the time of the last check went, from the reports of Surefire, the files that {@link Spent} wrote beside
 * them and the log of the build. {@code ./check.sh times} runs it as a source file.
 */
public final class TestTimes {
    private static final Pattern SUITE = Pattern.compile("<testsuite [^>]*\\bname=\"([^\"]+)\" time=\"([0-9.,]+)\"");
    private static final Pattern MODULE =
            Pattern.compile("\\[INFO] (?:chagres-|Chagres )(\\S+).* SUCCESS \\[ *(?:([0-9]+):)?([0-9.]+) (?:s|min)].*");
    private static final String MARK = "<!-- What follows is written by ./check.sh times -->";
    private static final double MINUTE = 60;
    private static final double MS = 1000;

    /** Classes that take less are in the row of their module only. */
    private static final double LEAST_SECONDS = 2;

    private static final String HEAD =
            "| %s | seconds | JVMs | programs | mounts | servers | conditions | searches | else |\n"
                    + "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";

    /** The time that a class, or the classes of a module, took. */
    private record Row(String name, double seconds, Map<Spending, Double> spent) {
        Row plus(Row other) {
            Map<Spending, Double> sum = new EnumMap<>(Spending.class);
            for (Spending what : Spending.values()) {
                sum.put(what, of(what) + other.of(what));
            }
            return new Row(name, seconds + other.seconds, sum);
        }

        double of(Spending what) {
            return spent.getOrDefault(what, 0.0);
        }

        double rest() {
            double counted = spent.values().stream().mapToDouble(each -> each).sum();
            return Math.max(0, seconds - counted);
        }

        String line() {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "| %s | %.1f", name, seconds));
            for (Spending what : Spending.values()) {
                line.append(of(what) < LEAST_SHOWN ? " | " : String.format(Locale.ROOT, " | %.1f", of(what)));
            }
            return line.append(String.format(Locale.ROOT, " | %.1f |\n", rest()))
                    .toString();
        }
    }

    private static final double LEAST_SHOWN = 0.05;

    private final Map<String, Row> modules = new TreeMap<>();
    private final List<Row> classes = new ArrayList<>();

    /** From the start of the first class of a module to the end of its last, in ms. */
    private final Map<String, long[]> spans = new TreeMap<>();

    /**
     * Writes the tables into a document, below a line that says so.
     *
     * @param arguments the root of the modules, the log of the build, the document
     */
    public static void main(String... arguments) throws IOException {
        TestTimes times = new TestTimes();
        Path root = Path.of(arguments[0]);
        for (Path report : TestSummary.reports(root)) {
            times.add(TestSummary.module(root, report), report);
        }
        Path log = Path.of(arguments[1]);
        String tables = times.tables(Files.exists(log) ? Files.readAllLines(log) : List.of());
        Path document = Path.of(arguments[2]);
        String text = Files.readString(document);
        Files.writeString(document, text.substring(0, text.indexOf(MARK) + MARK.length()) + "\n\n" + tables);
        System.out.print(tables);
    }

    private void add(String module, Path report) throws IOException {
        Matcher suite = SUITE.matcher(Files.readString(report));
        if (!suite.find()) {
            return;
        }
        double seconds = Double.parseDouble(suite.group(2).replace(",", ""));
        Map<Spending, Double> spent = new EnumMap<>(Spending.class);
        Path beside = report.resolveSibling("SPENT-" + suite.group(1) + ".txt");
        if (Files.exists(beside)) {
            for (String line : Files.readAllLines(beside)) {
                String[] words = line.split(" ");
                spent.put(Spending.valueOf(words[0]), Double.parseDouble(words[1]));
            }
        }
        String simple = suite.group(1).substring(suite.group(1).lastIndexOf('.') + 1);
        Row counted = new Row(module + " " + simple, seconds, spent);
        if (spent.containsKey(Spending.SEARCHES)) {
            spent.put(Spending.SEARCHES, counted.rest());
        }
        classes.add(counted);
        modules.merge(module, new Row(module, seconds, spent), Row::plus);
        long endMs = Files.getLastModifiedTime(report).toMillis();
        spans.merge(module, new long[] {endMs - (long) (seconds * MS), endMs}, (a, b) ->
                new long[] {Math.min(a[0], b[0]), Math.max(a[1], b[1])});
    }

    /** Returns the tables as Markdown: the time on the clock by module, the time of classes by module and by class. */
    String tables(List<String> log) {
        StringBuilder text = new StringBuilder("| module | seconds on the clock | tests | else: compiling, JVMs of"
                + " tests, packaging, checkers |\n|---|--:|--:|--:|\n");
        for (String line : log) {
            Matcher module = MODULE.matcher(line);
            if (module.matches()) {
                double seconds = (module.group(2) == null ? 0 : MINUTE * Integer.parseInt(module.group(2)))
                        + Double.parseDouble(module.group(3).replace(":", ""));
                double tests = spanOf(module.group(1)) / MS;
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | %.1f | %.1f | %.1f |\n",
                        module.group(1),
                        seconds,
                        tests,
                        Math.max(0, seconds - tests)));
            }
        }
        text.append("\n").append(HEAD.formatted("classes of a module"));
        modules.values().stream().sorted(bySeconds()).forEach(row -> text.append(row.line()));
        text.append("\n").append(HEAD.formatted("class"));
        classes.stream()
                .filter(row -> row.seconds >= LEAST_SECONDS)
                .sorted(bySeconds())
                .forEach(row -> text.append(row.line()));
        return text.toString();
    }

    private static Comparator<Row> bySeconds() {
        return Comparator.comparingDouble(Row::seconds).reversed();
    }

    /** Artifacts are called by the module's folder, with a dash for each slash and no plural: store-s3. */
    private double spanOf(String artifact) {
        return spans.entrySet().stream()
                .filter(each ->
                        each.getKey().replace("s/", "-").replace("third/", "").equals(artifact))
                .mapToLong(each -> each.getValue()[1] - each.getValue()[0])
                .sum();
    }
}
