package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Sums the tests of all modules up, from the reports that Surefire leaves: what failed, what was not run and why, which
 * were slow. {@code check.sh} runs it as a source file; it needs nothing but the JDK.
 */
public final class TestSummary {
    private static final Pattern REPORT = Pattern.compile(".*/surefire-reports/TEST-.*\\.xml");
    private static final Pattern NOT_BUILT = Pattern.compile("\\[INFO] (\\S+)[ .]+SKIPPED\\s*");
    private static final Pattern BROKEN = Pattern.compile("\\[ERROR] Failed to execute goal .* on project (\\S+): .*");
    private static final String NEEDS = "skipped: needs ";

    /** How much of a failure is said: an assertion names itself first, and then what is wrong. */
    private static final int LINES = 3;

    private static final int LINE_CHARS = 500;

    private enum Outcome {
        PASSED,
        FAILED,
        SKIPPED
    }

    private record Case(String name, double seconds, Outcome outcome, String message, String again) {}

    private final List<Case> cases = new ArrayList<>();

    /**
     * Prints the summary. Ends with 1 if a test failed or none was run.
     *
     * @param arguments the root of the modules, the log of the build, how many of the slowest tests to name
     */
    public static void main(String... arguments) throws IOException {
        Path log = Path.of(arguments[1]);
        List<String> said = Files.exists(log) ? Files.readAllLines(log) : List.of();
        TestSummary summary = new TestSummary();
        for (Path report : reports(Path.of(arguments[0]))) {
            try (InputStream xml = Files.newInputStream(report)) {
                summary.add(xml, module(Path.of(arguments[0]), report));
            } catch (XMLStreamException e) {
                summary.addBroken(report.toString(), e);
            }
        }
        summary.lines(said, Integer.parseInt(arguments[2])).forEach(System.out::println);
        System.exit(summary.cases.isEmpty() || summary.count(Outcome.FAILED) > 0 ? 1 : 0);
    }

    /** The folder of the module, as given to {@code check.sh}: reports lie in its {@code target}. */
    static String module(Path root, Path report) {
        Path path = root.relativize(report);
        int names = 0;
        while (names < path.getNameCount() && !path.getName(names).toString().equals("target")) {
            names++;
        }
        return names == 0 ? "" : path.subpath(0, names).toString();
    }

    static List<Path> reports(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = String.valueOf(directory.getFileName());
                return name.equals(".git") || name.equals("src") || name.equals("classes")
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (REPORT.matcher(file.toString()).matches()) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    /** Adds the tests of a report of a module. */
    void add(InputStream report, String module) throws XMLStreamException {
        StringBuilder chosen = new StringBuilder();
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        XMLStreamReader xml = factory.createXMLStreamReader(report);
        while (xml.hasNext()) {
            if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            String name = attribute(xml, "name");
            if (xml.getLocalName().equals("property") && (name.equals("seed") || name.equals("share"))) {
                chosen.append(" -D" + name + "=" + attribute(xml, "value"));
            } else if (xml.getLocalName().equals("testcase")) {
                cases.add(readCase(xml, module + chosen));
            }
        }
    }

    /** Counts a report that cannot be read as a failure: its JVM died while it wrote it. */
    void addBroken(String report, XMLStreamException cause) {
        cases.add(new Case(report, 0, Outcome.FAILED, String.valueOf(cause.getMessage()), ""));
    }

    private static Case readCase(XMLStreamReader xml, String where) throws XMLStreamException {
        String type = attribute(xml, "classname");
        String method = attribute(xml, "name").replaceFirst("[^\\w$].*", ""); // without parameters
        String again = "./check.sh -t " + type.substring(type.lastIndexOf('.') + 1)
                + (method.isEmpty() ? "" : "#" + method) + " " + where;
        String name = type + "." + attribute(xml, "name");
        String time = attribute(xml, "time").replace(",", "");
        Outcome outcome = Outcome.PASSED;
        String message = "";
        while (xml.next() != XMLStreamConstants.END_ELEMENT
                || !xml.getLocalName().equals("testcase")) {
            if (xml.isStartElement()) {
                switch (xml.getLocalName()) {
                    case "failure", "error" -> outcome = Outcome.FAILED;
                    case "skipped" -> outcome = Outcome.SKIPPED;
                    default -> {
                        continue;
                    }
                }
                // Surefire says why a test was skipped in the trace only.
                String said = attribute(xml, "message");
                message = said.isBlank() ? xml.getElementText() : said;
            }
        }
        return new Case(name, time.isEmpty() ? 0 : Double.parseDouble(time), outcome, message, again);
    }

    private static String attribute(XMLStreamReader xml, String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    /**
     * Returns what is to be said, the sum in the last line.
     *
     * @param log of the build, which names the modules that were not built
     */
    List<String> lines(List<String> log, int slowest) {
        List<String> lines = new ArrayList<>();
        if (slowest > 0) {
            lines.add("The slowest tests, in seconds:");
            cases.stream()
                    .sorted(Comparator.comparingDouble(Case::seconds).reversed())
                    .limit(slowest)
                    .forEach(test -> lines.add(String.format(Locale.ROOT, "%8.1f %s", test.seconds, test.name)));
        }
        of(Outcome.FAILED).forEach(test -> {
            lines.add("FAILED " + test.name + ": " + firstLine(test.message));
            said(test.message).skip(1).limit(LINES - 1).forEach(line -> lines.add("    " + cut(line)));
            if (!test.again.isEmpty()) {
                lines.add("  again: " + test.again);
            }
        });
        Map<String, Long> reasons = of(Outcome.SKIPPED)
                .collect(Collectors.groupingBy(TestSummary::reason, TreeMap::new, Collectors.counting()));
        if (!reasons.isEmpty()) {
            lines.add(count(Outcome.SKIPPED) + " skipped:");
        }
        reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .forEach(reason -> lines.add(String.format("%6d %s", reason.getValue(), reason.getKey())));
        List<String> notBuilt = modules(log, NOT_BUILT);
        if (!notBuilt.isEmpty()) {
            lines.add("NOT RUN, because a module they need was not built: " + String.join(", ", notBuilt));
        }
        List<String> broken = modules(log, BROKEN);
        broken.forEach(module ->
                lines.add("FAILED " + module + ": see the errors of its build above; what needs it was" + " not run"));
        lines.add(count(Outcome.PASSED) + " passed, " + (count(Outcome.FAILED) + broken.size()) + " failed, "
                + count(Outcome.SKIPPED) + " skipped");
        return lines;
    }

    private static List<String> modules(List<String> log, Pattern line) {
        return log.stream()
                .map(line::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .distinct()
                .toList();
    }

    private static String reason(Case test) {
        String message = firstLine(test.message);
        int needs = message.indexOf(NEEDS);
        return needs < 0 ? message : "need " + message.substring(needs + NEEDS.length());
    }

    private static String firstLine(String message) {
        return said(message).findFirst().orElse("without a word");
    }

    private static Stream<String> said(String message) {
        return message.lines().filter(line -> !line.isBlank());
    }

    private static String cut(String line) {
        String text = line.strip();
        return text.length() <= LINE_CHARS ? text : text.substring(0, LINE_CHARS) + "...";
    }

    private Stream<Case> of(Outcome outcome) {
        return cases.stream().filter(test -> test.outcome == outcome);
    }

    private long count(Outcome outcome) {
        return of(outcome).count();
    }
}
