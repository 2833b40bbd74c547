package io.chagres.tests.tidy;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rules for the text of any file. */
final class TextRules {
    private static final int MAX_COLUMNS = 120;
    /** Scripts print tables, whose rows are not folded. */
    private static final int MAX_SCRIPT_COLUMNS = 160;

    private static final int MAX_LINES = 600;
    // in two parts each, so that this file does not break its own rule
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");

    /** The words that docs/STYLE.md replaces; what stands as code is quoted and not said. */
    private static final Pattern WORDS = words();

    private static final Pattern COMMENT = Pattern.compile("^\\s*(//|/?\\*)");
    private static final Pattern QUOTED = Pattern.compile("`[^`]*`");
    private static final Pattern MESSAGE = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");

    private final SourceFile file;
    private final Consumer<Finding> findings;

    TextRules(SourceFile file, Consumer<Finding> findings) {
        this.file = file;
        this.findings = findings;
    }

    void check() {
        List<String> lines = file.text().lines().toList();
        boolean code = file.isJava() || file.isScript();
        if (code && lines.size() > MAX_LINES) {
            report(
                    lines.size(),
                    "a file of " + lines.size() + " lines; at most " + MAX_LINES + ": split it by subject");
        }
        if (file.isMarkdown() && lines.stream().noneMatch(line -> line.startsWith("# "))) {
            report(1, "a document without a title: begin with '# '");
        }
        for (int i = 0; i < lines.size(); i++) {
            checkLine(i + 1, lines.get(i), code);
        }
    }

    private void checkLine(int number, String line, boolean code) {
        int columns = line.codePointCount(0, line.length());
        int most = file.isScript() ? MAX_SCRIPT_COLUMNS : MAX_COLUMNS;
        if (code && columns > most) {
            report(number, "a line of " + columns + " columns; at most " + most);
        }
        Matcher unfinished = UNFINISHED.matcher(line);
        if (unfinished.find()) {
            report(number, unfinished.group() + " stands for work not done: do it, or open an issue");
        }
        Matcher word = WORDS.matcher(prose(line));
        if (word.find()) {
            report(number, "'" + word.group() + "': docs/STYLE.md has plainer words");
        }
        if (!file.isMarkdown()) {
            line.chars()
                    .filter(c -> c < ' ' || c > '~')
                    .findFirst()
                    .ifPresent(c ->
                            report(number, "character U+%04X; sources are printable ASCII: escape it".formatted(c)));
        }
    }

    /** Returns what a line says to people: documents and comments whole, of main code its messages. */
    private String prose(String line) {
        if (file.isMarkdown() || COMMENT.matcher(line).find()) {
            return QUOTED.matcher(line).replaceAll("``");
        }
        return file.path().contains("/src/main/")
                ? MESSAGE.matcher(line).results().map(MatchResult::group).collect(Collectors.joining(" "))
                : "";
    }

    /** Reads the list that Vale reads, too: a pattern in quotes, a colon, and the plainer words. */
    private static Pattern words() {
        Pattern entry = Pattern.compile("^  '(.*)': .*$", Pattern.MULTILINE);
        try {
            String list = Files.readString(Repository.root().resolve("docs/style/Chagres/Words.yml"));
            return Pattern.compile(
                    entry.matcher(list).results().map(found -> found.group(1)).collect(Collectors.joining("|")),
                    Pattern.CASE_INSENSITIVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void report(int line, String message) {
        findings.accept(new Finding(file.path(), line, message));
    }
}
