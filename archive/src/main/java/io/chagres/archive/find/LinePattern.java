package io.chagres.archive.find;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which lines are looked for: those that match at least one of some regular expressions of the JDK. Immutable. */
public final class LinePattern {
    /** As many are searched one after the other in the time of a pass for all. */
    private static final int MANY = 32;

    /** Letters that the dotless and the dotted i, the sign of Kelvin and the long s are other cases of. */
    static final String BEYOND_ASCII = "iks";
    /** Shorter texts are in too many lines to look for them first. */
    private static final int MIN_PART = 2;

    private static final int BASE = Pattern.UNIX_LINES;
    private static final int UNICODE = BASE | Pattern.UNICODE_CHARACTER_CLASS;

    private final Pattern ascii;
    private final Pattern unicode;
    private final boolean inverted;
    private final boolean overLines;
    private final List<byte[]> literals;
    private final @Nullable LiteralSet set;
    private final boolean ledByLiterals;
    private final boolean decidedByLiterals;

    /** Such an expression finds no newline. */
    private static final Pattern ON_A_LINE =
            Pattern.compile("(?:[^\\\\\\[(\n]|\\\\[bBdw<>.+*?()\\[\\]{}|^$/-]|\\[[\\w-]+]|\\((?!\\?)|\\(\\?:)*");

    /** A text without any of these characters means itself as an expression. */
    private static final Pattern SPECIAL = Pattern.compile("[\\\\^$.|?*+()\\[\\]{}]");

    /**
     * How patterns are meant.
     *
     * @param fixed patterns are text, not expressions
     * @param ignoreCase upper and lower case are the same
     * @param word what is found neither follows a letter or digit nor precedes one
     * @param wholeLine what is found is the whole line
     * @param inverted the lines in which nothing is found are wanted
     * @param overLines what is found may go over several lines
     */
    public record Options(
            boolean fixed, boolean ignoreCase, boolean word, boolean wholeLine, boolean inverted, boolean overLines) {
        /** Nothing that is found goes over lines. */
        public Options(boolean fixed, boolean ignoreCase, boolean word, boolean wholeLine, boolean inverted) {
            this(fixed, ignoreCase, word, wholeLine, inverted, false);
        }

        private Options onLines() {
            return new Options(fixed, ignoreCase, word, wholeLine, inverted);
        }

        /** Expressions as they are. */
        public static final Options PLAIN = new Options(false, false, false, false, false);
    }

    private LinePattern(
            Pattern ascii,
            Pattern unicode,
            Options options,
            List<byte[]> literals,
            @Nullable LiteralSet set,
            boolean ledByLiterals,
            boolean decidedByLiterals) {
        this.ascii = ascii;
        this.unicode = unicode;
        this.inverted = options.inverted();
        this.overLines = options.overLines();
        this.literals = literals;
        this.set = options.inverted() || options.overLines() ? null : set;
        this.ledByLiterals = ledByLiterals;
        this.decidedByLiterals = decidedByLiterals;
    }

    /**
     * Compiles patterns.
     *
     * @param patterns one finds nothing if there is none
     * @throws java.util.regex.PatternSyntaxException when one is no expression
     */
    public static LinePattern of(List<String> patterns, Options given) {
        boolean isOnLines = given.overLines() && patterns.stream().allMatch(each -> isOnALine(each, given.fixed()));
        Options options = isOnLines ? given.onLines() : given;
        List<byte[]> literals = new ArrayList<>();
        List<String> expressions = new ArrayList<>();
        boolean whole = true;
        for (String each : patterns) {
            String regex = options.fixed() ? Pattern.quote(each) : GrepSyntax.translate(each);
            Pattern.compile(regex, BASE); // so that the message is about this one
            expressions.add(regex);
            byte[] literal = options.fixed() ? each.getBytes(StandardCharsets.UTF_8) : RequiredLiteral.of(regex);
            literal = literal != null && options.overLines() && hasNewline(literal) ? null : literal;
            literal = literal != null && options.ignoreCase() ? sameInAllCases(literal) : literal;
            if (literal != null && literal.length > 0) {
                literals.add(literal);
                whole &= literal.length == each.length();
            }
        }
        String regex = expressions.size() == 1
                ? expressions.getFirst() // a group would be asked at every place
                : expressions.stream().map(each -> "(?:" + each + ")").collect(Collectors.joining("|"));
        regex = patterns.isEmpty() ? "(?!)" : options.word() ? "(?<!\\w)(?:" + regex + ")(?!\\w)" : regex;
        regex = options.wholeLine() ? "^(?:" + regex + ")$" : regex;
        int lines = options.overLines() ? Pattern.MULTILINE : 0;
        Pattern unicode = Pattern.compile(
                regex, UNICODE | lines | (options.ignoreCase() ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0));
        boolean plain = expressions.stream().allMatch(each -> isPlain(each, options.fixed()));
        Pattern ascii = !plain
                ? unicode
                : Pattern.compile(regex, BASE | lines | (options.ignoreCase() ? Pattern.CASE_INSENSITIVE : 0));
        boolean known = literals.size() == patterns.size();
        boolean led = known && expressions.stream().allMatch(RequiredLiteral::leads);
        boolean decided = known
                && (whole || !options.ignoreCase())
                && !options.word()
                && !options.wholeLine()
                && patterns.stream().allMatch(each -> isText(each, options.fixed()));
        boolean isSet = known && !patterns.isEmpty() && (options.ignoreCase() || literals.size() >= MANY);
        return new LinePattern(
                ascii,
                unicode,
                options,
                known && !options.ignoreCase() ? List.copyOf(literals) : List.of(),
                isSet ? new LiteralSet(literals, options.ignoreCase()) : null,
                led,
                decided);
    }

    /**
     * Returns the longest part of a text, in lower case, that is found in ASCII alone when case is ignored; empty when
     * it is short. That is not so of letters which characters beyond ASCII are another case of.
     */
    private static byte[] sameInAllCases(byte[] text) {
        int start = 0;
        int from = 0;
        int length = 0;
        for (int i = 0; i <= text.length; i++) {
            if (i == text.length || text[i] < 0 || BEYOND_ASCII.indexOf(Character.toLowerCase((char) text[i])) >= 0) {
                if (i - start > length) {
                    from = start;
                    length = i - start;
                }
                start = i + 1;
            }
        }
        String part = new String(text, from, length < MIN_PART ? 0 : length, StandardCharsets.US_ASCII);
        return part.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
    }

    /** Says whether a pattern is found wherever its bytes are. No line has a newline, and half a character no bytes. */
    private static boolean isText(String pattern, boolean fixed) {
        return pattern.chars().noneMatch(c -> c == '\n' || Character.isSurrogate((char) c))
                && (fixed || !SPECIAL.matcher(pattern).find());
    }

    private static boolean isOnALine(String pattern, boolean fixed) {
        return fixed ? pattern.indexOf('\n') < 0 : ON_A_LINE.matcher(pattern).matches();
    }

    /** No line has it, so no filter does. */
    private static boolean hasNewline(byte[] literal) {
        for (byte each : literal) {
            if (each == '\n') {
                return true;
            }
        }
        return false;
    }

    /** Says whether a pattern means the same in ASCII, whether or not classes and cases are those of Unicode. */
    private static boolean isPlain(String pattern, boolean fixed) {
        return pattern.chars().allMatch(c -> c < 0x80)
                && (fixed || (!pattern.contains("\\p") && !pattern.contains("\\P") && !pattern.contains("(?")));
    }

    /** Returns some bytes: every line that is found holds one of them; empty when none are known. */
    List<byte[]> literals() {
        return inverted ? List.of() : literals;
    }

    /** Returns such bytes as a set that is searched in one pass, in either case if that is ignored; null for none. */
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

    /** Says whether what is found may go over several lines. */
    public boolean overLines() {
        return overLines;
    }

    /** Returns the expression for lines in ASCII, which means there what the other one means, or for all others. */
    Pattern expression(boolean isAscii) {
        return isAscii ? ascii : unicode;
    }
}
