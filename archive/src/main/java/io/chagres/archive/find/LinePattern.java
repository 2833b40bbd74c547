package io.chagres.archive.find;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which lines are looked for: regular expressions of the JDK, of which one must be found. Immutable. */
public final class LinePattern {
    /** As many are searched one after the other in the time of a pass for all. */
    private static final int MANY = 32;

    private static final int BASE = Pattern.UNIX_LINES;
    private static final int UNICODE = BASE | Pattern.UNICODE_CHARACTER_CLASS;

    private final Pattern ascii;
    private final Pattern unicode;
    private final boolean inverted;
    private final List<byte[]> literals;
    private final @Nullable LiteralSet set;
    private final boolean ledByLiterals;
    private final boolean decidedByLiterals;

    /** Characters of which a text without any means itself as an expression. */
    private static final Pattern SPECIAL = Pattern.compile("[\\\\^$.|?*+()\\[\\]{}]");

    /**
     * How patterns are meant.
     *
     * @param fixed patterns are text, not expressions
     * @param ignoreCase upper and lower case are the same
     * @param word what is found neither follows a letter or digit nor precedes one
     * @param wholeLine what is found is the whole line
     * @param inverted the lines in which nothing is found are wanted
     */
    public record Options(boolean fixed, boolean ignoreCase, boolean word, boolean wholeLine, boolean inverted) {
        /** Expressions as they are. */
        public static final Options PLAIN = new Options(false, false, false, false, false);
    }

    private LinePattern(
            Pattern ascii,
            Pattern unicode,
            boolean inverted,
            List<byte[]> literals,
            boolean ledByLiterals,
            boolean decidedByLiterals) {
        this.ascii = ascii;
        this.unicode = unicode;
        this.inverted = inverted;
        this.literals = literals;
        set = inverted || literals.size() < MANY ? null : new LiteralSet(literals);
        this.ledByLiterals = ledByLiterals;
        this.decidedByLiterals = decidedByLiterals;
    }

    /**
     * Compiles patterns.
     *
     * @param patterns one finds nothing if there is none
     * @throws java.util.regex.PatternSyntaxException when one is no expression
     */
    public static LinePattern of(List<String> patterns, Options options) {
        List<byte[]> literals = new ArrayList<>();
        List<String> expressions = new ArrayList<>();
        for (String each : patterns) {
            String regex = options.fixed() ? Pattern.quote(each) : PosixClasses.translate(each);
            Pattern.compile(regex, BASE); // so that the message is about this one
            expressions.add(regex);
            byte[] literal = options.ignoreCase()
                    ? null
                    : options.fixed() ? each.getBytes(StandardCharsets.UTF_8) : RequiredLiteral.of(regex);
            if (literal != null && literal.length > 0) {
                literals.add(literal);
            }
        }
        String regex = expressions.size() == 1
                ? expressions.getFirst() // a group would be asked at every place
                : expressions.stream().map(each -> "(?:" + each + ")").collect(Collectors.joining("|"));
        regex = patterns.isEmpty() ? "(?!)" : options.word() ? "(?<!\\w)(?:" + regex + ")(?!\\w)" : regex;
        regex = options.wholeLine() ? "^(?:" + regex + ")$" : regex;
        Pattern unicode = Pattern.compile(
                regex, UNICODE | (options.ignoreCase() ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0));
        boolean plain = expressions.stream().allMatch(each -> isPlain(each, options.fixed()));
        Pattern ascii =
                !plain ? unicode : Pattern.compile(regex, BASE | (options.ignoreCase() ? Pattern.CASE_INSENSITIVE : 0));
        boolean known = literals.size() == patterns.size();
        boolean led = known && expressions.stream().allMatch(RequiredLiteral::leads);
        boolean decided = known
                && !options.word()
                && !options.wholeLine()
                && patterns.stream().allMatch(each -> isText(each, options.fixed()));
        return new LinePattern(
                ascii, unicode, options.inverted(), known ? List.copyOf(literals) : List.of(), led, decided);
    }

    /** Says whether a pattern is found wherever its bytes are. No line has a newline, and half a character no bytes. */
    private static boolean isText(String pattern, boolean fixed) {
        return pattern.chars().noneMatch(c -> c == '\n' || Character.isSurrogate((char) c))
                && (fixed || !SPECIAL.matcher(pattern).find());
    }

    /** Says whether a pattern means the same in ASCII, whether or not classes and cases are those of Unicode. */
    private static boolean isPlain(String pattern, boolean fixed) {
        return pattern.chars().allMatch(c -> c < 0x80)
                && (fixed || !pattern.contains("\\p") && !pattern.contains("\\P") && !pattern.contains("(?"));
    }

    /** Returns bytes of which every line that is found holds one; empty when none are known. */
    List<byte[]> literals() {
        return inverted ? List.of() : literals;
    }

    /** Returns these bytes as a set that is searched in one pass; null where they are few. */
    @Nullable
    LiteralSet set() {
        return set;
    }

    /** Says whether what is found begins with one of these bytes. */
    boolean isLedByLiterals() {
        return ledByLiterals;
    }

    /** Says whether a line that holds one of these bytes is found, so that the expression need not be asked. */
    boolean isDecidedByLiterals() {
        return decidedByLiterals && !inverted;
    }

    boolean inverted() {
        return inverted;
    }

    /** Returns the expression for lines in ASCII, which means there what the other one means, or for all others. */
    Pattern expression(boolean isAscii) {
        return isAscii ? ascii : unicode;
    }
}
