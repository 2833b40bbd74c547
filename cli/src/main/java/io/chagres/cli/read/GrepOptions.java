package io.chagres.cli.read;

import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.query.FleetSearch;
import io.chagres.archive.query.Query;
import io.chagres.archive.query.TextEncoding;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What {@code grep} looks for and what it shows: named as ripgrep names it. */
public final class GrepOptions {
    /** The exit code when something could not be read; 1 says that nothing was found. */
    static final int TROUBLE = 2;

    /** Backslashes, and classes; a class may have {@code \\n} beside others. */
    private static final Pattern NOT_OVER_LINES = Pattern.compile("\\\\\\\\|\\[[^\\]]*]|\\\\Q.*?\\\\E|\\\\n[?*]");

    /** What has letters that stand for nothing in a line: escapes, and what begins a group with a name. */
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:[pP]\\{[^}]*}|.)|\\(\\?P?<[^>=!]*>");

    /** All that is no character of a match by itself: classes, anchors, groups and repetitions. */
    private static final Pattern NO_LITERAL =
            Pattern.compile("\\\\[pP]\\{[^}]*}|\\\\[bBdDhHsSwWAzZGR<>]|\\[:\\^?[a-z]+:]"
                    + "|\\{[0-9]*,?[0-9]*}|\\(\\?(?:P?<[^>=!]*>|<?[=!]|[a-zA-Z-]*[:)])|[.^$*+?()\\[\\]|]");

    @Option(
            names = {"-e", "--regexp"},
            paramLabel = "PATTERN",
            description = "A pattern; may be repeated. The first argument is the archive then.")
    List<String> patterns = List.of();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Patterns from a file, one a line; - is standard input. May be repeated.")
    List<String> files = List.of();

    @Option(
            names = {"-F", "--fixed-strings"},
            description = "Patterns are text, not regular expressions.")
    boolean fixed;

    private enum Cases {
        DIFFER,
        ARE_SAME,
        SMART
    }

    private Cases cases = Cases.DIFFER;

    @Option(
            names = {"-i", "--ignore-case"},
            description = "Upper and lower case are the same. Of -i, -S and -s the last one counts.")
    void ignoreCase(boolean given) {
        cases = given ? Cases.ARE_SAME : cases;
    }

    @Option(
            names = {"-S", "--smart-case"},
            description = "Like -i when the pattern has no capital letter but in escapes, as \\W.")
    void smartCase(boolean given) {
        cases = given ? Cases.SMART : cases;
    }

    @Option(
            names = {"-s", "--case-sensitive"},
            description = "Upper and lower case differ, as without -i and -S.")
    void caseSensitive(boolean given) {
        cases = given ? Cases.DIFFER : cases;
    }

    private boolean word;
    private boolean wholeLine;

    @Option(
            names = {"-w", "--word-regexp"},
            description = "Only whole words match. Of -w and -x the last one counts.")
    void word(boolean given) {
        word = given;
        wholeLine &= !given;
    }

    @Option(
            names = {"-x", "--line-regexp"},
            description = "Only whole lines match.")
    void wholeLine(boolean given) {
        wholeLine = given;
        word &= !given;
    }

    @Option(
            names = {"-v", "--invert-match"},
            description = "Show the lines that do not match.")
    boolean inverted;

    @Option(
            names = {"-n", "--line-number"},
            description = "Show the number of each line; with --since, counted from there.")
    boolean numbers;

    @Option(
            names = {"-c", "--count"},
            description = "Show only how many lines of each file match.")
    boolean count;

    @Option(
            names = {"-l", "--files-with-matches"},
            description = "Show only which files have a match.")
    boolean filesWith;

    @Option(
            names = {"-L", "--files-without-match"},
            description = "Show only which files have none.")
    boolean filesWithout;

    @Option(
            names = {"-q", "--quiet"},
            description = "Show nothing; end at the first match.")
    boolean quiet;

    @Option(
            names = {"-o", "--only-matching"},
            description = "Show only what matches, each on a line of its own.")
    boolean onlyMatching;

    @Option(
            names = {"-m", "--max-count"},
            paramLabel = "N",
            description = "At most N lines of each file.")
    @Nullable
    Long maxCount;

    @Option(
            names = {"-A", "--after-context"},
            paramLabel = "N",
            description = "Also show N lines after each match.")
    int after;

    @Option(
            names = {"-B", "--before-context"},
            paramLabel = "N",
            description = "Also show N lines before each match.")
    int before;

    @Option(
            names = {"-C", "--context"},
            paramLabel = "N",
            description = "Also show N lines on both sides.")
    int context;

    @Option(
            names = {"-a", "--text"},
            description = "Show lines of files with zero bytes like others.")
    boolean text;

    @Option(
            names = {"-z", "--search-zip"},
            description = "Search the content of files named *.gz, *.zst, *.xz and *.bz2.")
    boolean unzip;

    @Option(
            names = {"-E", "--encoding"},
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "How files are text: auto (UTF-8, or UTF-16 where a byte order mark says so), none (a mark is"
                    + " text), or the name of an encoding of all of them (default: ${DEFAULT-VALUE}).")
    String encoding = "auto";

    @Option(
            names = {"-I", "--no-filename"},
            description = "Do not show host and path.")
    boolean anonymous;

    @Option(
            names = {"-H", "--with-filename"},
            description = "Show host and path, as without it; -I means nothing then.")
    boolean named;

    @Option(names = "--heading", description = "Show host and path once, above the lines of each file.")
    boolean heading;

    @Option(
            names = {"-M", "--max-columns"},
            paramLabel = "N",
            description = "Say of lines of more than N bytes, with their end, only that they match; 0: show all.")
    int maxColumns;

    @Option(
            names = {"-r", "--replace"},
            paramLabel = "TEXT",
            description = "Show TEXT in place of what matches: $1 and $${name} are groups, $$ is a dollar sign.")
    @Nullable
    String replacement;

    @Option(
            names = {"-g", "--glob"},
            paramLabel = "GLOB",
            description = "Only files that match, or with ! in front only others; a file that several match is taken or"
                    + " not by the last one. May be repeated.")
    List<String> globs = List.of();

    @Option(
            names = "--stats",
            description = "At the end show how much was searched and found, and what filters ruled out.")
    boolean stats;

    @Option(
            names = {"-U", "--multiline"},
            description =
                    "What matches may go over lines, as \\n and \\s then do; all lines that it is on are shown. Where"
                            + " it may be longer than 1 MiB, the file is named and searched no further. Not with -r.")
    boolean overLines;

    @Option(
            names = {"-P", "--pcre2"},
            description = "Changes nothing, and says so: patterns look around and back without it.")
    boolean perl;

    @Option(
            names = "--sort",
            paramLabel = "BY",
            defaultValue = "path",
            description = "path: by host and path, as it is found. time: the lines of all files by the commit that made"
                    + " each whole, after compact to --history 1m; not with -A, -B, -C, -c, -l, -L. It prints when all"
                    + " is searched, reads the commits of each host with a match, and keeps what is found beyond 2 MiB"
                    + " in a temporary file (default: ${DEFAULT-VALUE}).")
    Sort sort = Sort.PATH;

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            defaultValue = "auto",
            description = "Colours: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}, on a terminal).")
    Color color = Color.AUTO;

    @Mixin
    LineTimeOptions lineTimes = new LineTimeOptions();

    enum Sort {
        PATH,
        TIME
    }

    enum Color {
        AUTO,
        ALWAYS,
        NEVER
    }

    /** Says whether the pattern is not the first argument. */
    boolean hasPattern() {
        return !patterns.isEmpty() || !files.isEmpty();
    }

    /** Says whether lines stand without host and path in front of them. */
    boolean isAnonymous() {
        return anonymous && !named;
    }

    /** Says whether host and path stand above the lines. */
    boolean hasHeading() {
        return heading && !isAnonymous();
    }

    /** Says whether only files are named or counted, so that no line need be shown. */
    boolean namesFiles() {
        return filesWith || filesWithout || quiet;
    }

    /** Compiles what is looked for. */
    LinePattern pattern(@Nullable String first) throws IOException {
        List<String> all = new ArrayList<>(patterns);
        if (first != null) {
            all.add(first);
        }
        for (String file : files) {
            new String(read(file), StandardCharsets.UTF_8).lines().forEach(all::add);
        }
        boolean isSmart = cases == Cases.SMART
                && all.stream().anyMatch(this::hasLiteral)
                && all.stream().noneMatch(this::hasCapital);
        boolean ignores = cases == Cases.ARE_SAME || isSmart;
        for (String each : all) {
            if (!overLines && goesOverLines(each)) {
                throw new CommandFailure(
                        ExitCode.USAGE, "'" + each + "' goes over lines, in which nothing is found without -U");
            }
        }
        try {
            return LinePattern.of(all, new LinePattern.Options(fixed, ignores, word, wholeLine, inverted, overLines));
        } catch (PatternSyntaxException e) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "'" + e.getPattern() + "' is no regular expression of Java: " + e.getDescription()
                            + "; -F takes it as text");
        }
    }

    private static byte[] read(String file) throws IOException {
        try {
            return file.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new CommandFailure(ExitCode.USAGE, "-f " + file + ": there is no such file");
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, "-f " + file + " cannot be read: " + e.getMessage());
        }
    }

    /** Says whether a pattern wants an end of a line, so that no line has what it finds. */
    private boolean goesOverLines(String pattern) {
        return pattern.indexOf('\n') >= 0
                || (!fixed && NOT_OVER_LINES.matcher(pattern).replaceAll("").contains("\\n"));
    }

    /** Says whether a pattern has a capital letter that stands for itself: \\W and \\p{Alpha} do not. */
    private boolean hasCapital(String pattern) {
        String text = fixed ? pattern : ESCAPE.matcher(pattern).replaceAll("");
        return text.chars().anyMatch(Character::isUpperCase);
    }

    /** Says whether something of a pattern stands for itself: of [[:upper:]]+ nothing does. */
    private boolean hasLiteral(String pattern) {
        return fixed || !NO_LITERAL.matcher(pattern).replaceAll("").isEmpty();
    }

    /** Says whether lines around those that match are shown. */
    boolean hasContext() {
        return Math.max(before, context) + Math.max(after, context) > 0;
    }

    /** Returns which files {@code -g} takes. */
    Query.Filter files() throws CommandFailure {
        PathGlobs chosen = new PathGlobs(globs);
        return globs.isEmpty() ? Query.Filter.ALL : (host, path) -> chosen.take(path);
    }

    /** Returns what is looked for. */
    FleetSearch.Wanted wanted(LinePattern pattern, boolean asJson) throws CommandFailure {
        try {
            return new FleetSearch.Wanted(
                    pattern,
                    search(asJson),
                    TextEncoding.parse(encoding),
                    path -> unzip ? Packed.of(path) : null,
                    unzip,
                    quiet,
                    filesWithout);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "--encoding " + e.getMessage());
        }
    }

    private FileSearch.Options search(boolean asJson) throws CommandFailure {
        if (after < 0 || before < 0 || context < 0 || (maxCount != null && maxCount < 1)) {
            throw new CommandFailure(ExitCode.USAGE, "-A, -B and -C must not be negative, and -m must be 1 or more");
        }
        boolean summary = count || filesWith || filesWithout;
        if (maxColumns < 0) {
            throw new CommandFailure(ExitCode.USAGE, "-M must not be negative");
        }
        if (overLines && (replacement != null || sort == Sort.TIME)) {
            throw new CommandFailure(ExitCode.USAGE, "-U takes neither -r nor --sort time");
        }
        if (asJson && replacement != null) {
            throw new CommandFailure(ExitCode.USAGE, "--json shows lines as they are, and so takes no -r");
        }
        if (sort == Sort.TIME && heading) {
            throw new CommandFailure(ExitCode.USAGE, "--sort time mixes lines of files, and so takes no --heading");
        }
        if (asJson && summary) {
            throw new CommandFailure(ExitCode.USAGE, "--json shows lines, and so takes neither -c, -l nor -L");
        }
        if (sort == Sort.TIME && (summary || after + before + context > 0)) {
            throw new CommandFailure(ExitCode.USAGE, "--sort time takes neither -A, -B and -C nor -c, -l and -L");
        }
        long most = namesFiles() ? 1 : maxCount == null ? Long.MAX_VALUE : maxCount;
        boolean lines = !namesFiles() && !count && !onlyMatching;
        return new FileSearch.Options(
                most,
                lines ? Math.max(before, context) : 0,
                lines ? Math.max(after, context) : 0,
                numbers,
                text || namesFiles() || count);
    }
}
