package io.chagres.tests.tidy;

import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules for the text of any file. */
final class TextRules {
    private static final int MAX_COLUMNS = 120;
    /** Scripts print tables, whose rows are not folded. */
    private static final int MAX_SCRIPT_COLUMNS = 160;

    private static final int MAX_LINES = 600;
    // in two parts each, so that this file does not break its own rule
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");

    /** The words that the table in docs/STYLE.md replaces; what stands as code is quoted and not said. */
    private static final Pattern WORDS = Pattern.compile(
            "\\b(of which|whoever|go(es)? on(?! (the|a|top)\\b)|went on|tell(s|ing)? of|told of|any more|so (many|much)"
                    + "|in case of|utilize|leverage)\\b",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern COMMENT = Pattern.compile("^\\s*(//|/?\\*)");
    private static final Pattern QUOTED = Pattern.compile("`[^`]*`");

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
        if (file.isMarkdown() || COMMENT.matcher(line).find()) {
            Matcher word = WORDS.matcher(QUOTED.matcher(line).replaceAll("``"));
            if (word.find()) {
                report(number, "'" + word.group() + "': docs/STYLE.md has plainer words");
            }
        }
        if (!file.isMarkdown()) {
            line.chars()
                    .filter(c -> c < ' ' || c > '~')
                    .findFirst()
                    .ifPresent(c ->
                            report(number, "character U+%04X; sources are printable ASCII: escape it".formatted(c)));
        }
    }

    private void report(int line, String message) {
        findings.accept(new Finding(file.path(), line, message));
    }
}
