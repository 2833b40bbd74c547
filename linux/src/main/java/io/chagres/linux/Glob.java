package io.chagres.linux;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Matches paths as {@code glob(7)} does, on bytes: {@code ?} and {@code *} stay within a component, {@code [a-z]} and
 * {@code [!a-z]} match one byte, {@code {a,b}} one of several, and {@code **} any number of components. A pattern that
 * begins with {@code /} matches the whole path; any other matches a path that ends with it, by whole components. A
 * backslash before one of {@code * ? [ ] { } , : ! ^ -} or before another one takes away its meaning, and
 * {@code \\xnn} is the byte that {@link Pathname#toString} shows so: {@link #quoted} gives the pattern of one path.
 * Before anything else a backslash is one. Immutable, safe for any thread.
 */
public final class Glob {
    private static final int MAX_ALTERNATIVES = 1024;

    /** As paths are shown: control characters and bytes from 0x7f on. */
    private static final Pattern SHOWN_BYTE = Pattern.compile("\\\\x(?:[01][0-9a-f]|7f|[89a-f][0-9a-f])");

    private static final String SPECIAL = "*?[]{},:!^-\\";

    private static final String SPECIAL_IN_PATHS = "*?[{\\";

    /** Added to a byte that stands for itself alone. */
    private static final char LITERAL = 0x100;

    private final String text;
    /** Patterns of bytes, each with {@link #LITERAL} or not. */
    private final List<char[]> patterns = new ArrayList<>();

    private final boolean anchored;

    private Glob(String text) {
        this.text = text;
        anchored = text.startsWith("/");
        expand(unescaped(text));
    }

    /**
     * Compiles a pattern.
     *
     * @throws IllegalArgumentException when it has an open bracket or brace, or too many alternatives
     */
    public static Glob of(String pattern) {
        return new Glob(pattern);
    }

    /** Says whether a text has characters that are special in patterns. */
    public static boolean isPattern(String text) {
        return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
    }

    /** Says whether a text has characters that are special in patterns, and not behind a backslash. */
    public static boolean hasWildcard(String text) {
        return unescaped(text).chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
    }

    /** Returns the pattern that matches one path and no other: a backslash stands before each special character. */
    public static String quoted(Pathname path) {
        return path.toString(SPECIAL_IN_PATHS);
    }

    /** Says whether a path matches. */
    public boolean matches(Pathname path) {
        byte[] bytes = path.bytes();
        for (char[] pattern : patterns) {
            if (matchesAtAnyDepth(pattern, bytes)) {
                return true;
            }
        }
        return false;
    }

    /** Says whether a directory is on the way to paths that match, or paths below it may match; if in doubt, yes. */
    public boolean mayMatchBelow(Pathname directory) {
        if (!anchored) {
            return true;
        }
        byte[] bytes = directory.bytes();
        for (char[] pattern : patterns) {
            if (mayMatchBelow(pattern, bytes)) {
                return true;
            }
        }
        return false;
    }

    private static boolean mayMatchBelow(char[] pattern, byte[] directory) {
        for (int i = 0; i < Math.min(pattern.length, directory.length); i++) {
            if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[') {
                return true;
            }
            if (!is(pattern[i], directory[i])) {
                return false;
            }
        }
        // the longer one has another component
        boolean isRoot = directory.length == 1;
        return isRoot
                || pattern.length == directory.length
                || (pattern.length > directory.length
                        ? isEnd(pattern[directory.length])
                        : directory[pattern.length] == '/' || pattern[pattern.length - 1] == '/');
    }

    private static boolean is(char pattern, byte of) {
        return (byte) pattern == of;
    }

    private static boolean isEnd(char of) {
        return of == '/' || of == '*' || of == '?' || of == '[';
    }

    private boolean matchesAtAnyDepth(char[] pattern, byte[] path) {
        if (endsOtherwise(pattern, path)) {
            return false;
        }
        if (match(pattern, path, 0)) {
            return true;
        }
        if (anchored) {
            return false;
        }
        for (int i = path.length - 1; i >= 0; i--) {
            if (path[i] == '/' && match(pattern, path, i + 1)) {
                return true;
            }
            if (path[i] == '/' && isOfOneName(pattern)) {
                return false; // most patterns are, and most paths do not match
            }
        }
        return false;
    }

    /** Says whether a path lacks the bytes that stand behind the last wildcard: most paths do, of most patterns. */
    private static boolean endsOtherwise(char[] pattern, byte[] path) {
        int at = path.length - 1;
        for (int p = pattern.length - 1; p >= 0; p--, at--) {
            char c = pattern[p];
            if (c == '*' || c == '?' || c == ']' || c == '/') {
                return false;
            }
            if (at < 0 || !is(c, path[at])) {
                return true;
            }
        }
        return false;
    }

    /** Says whether a pattern matches one component only. */
    private static boolean isOfOneName(char[] pattern) {
        for (int i = 0; i < pattern.length; i++) {
            if (pattern[i] == '/' || (pattern[i] == '*' && i > 0 && pattern[i - 1] == '*')) {
                return false;
            }
        }
        return true;
    }

    private void expand(String pattern) {
        int open = pattern.indexOf('{');
        if (open < 0) {
            check(pattern);
            if (patterns.size() == MAX_ALTERNATIVES) {
                throw new IllegalArgumentException("too many alternatives in the pattern " + text);
            }
            patterns.add(pattern.toCharArray());
            return;
        }
        int depth = 0;
        int start = open + 1;
        List<String> choices = new ArrayList<>();
        for (int i = open; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if ((c == ',' && depth == 1) || depth == 0) {
                choices.add(pattern.substring(start, i));
                start = i + 1;
            }
            if (depth == 0) {
                for (String choice : choices) {
                    expand(pattern.substring(0, open) + choice + pattern.substring(i + 1));
                }
                return;
            }
        }
        throw new IllegalArgumentException("an open { in the pattern " + text);
    }

    /** Returns the bytes of the UTF-8 of a pattern, each a character, those behind a backslash literal. */
    private static String unescaped(String pattern) {
        String bytes = new String(pattern.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        StringBuilder plain = new StringBuilder(bytes.length());
        Matcher shown = SHOWN_BYTE.matcher(bytes);
        for (int i = 0; i < bytes.length(); i++) {
            char c = bytes.charAt(i);
            if (c != '\\') {
                plain.append(c);
            } else if (shown.region(i, bytes.length()).lookingAt()) {
                plain.append((char) (LITERAL + Integer.parseInt(bytes.substring(i + 2, i + 4), 16)));
                i += 3;
            } else if (i + 1 < bytes.length() && SPECIAL.indexOf(bytes.charAt(i + 1)) >= 0) {
                plain.append((char) (LITERAL + bytes.charAt(++i)));
            } else {
                plain.append((char) (LITERAL + c));
            }
        }
        return plain.toString();
    }

    private void check(String pattern) {
        int open = pattern.indexOf('[');
        while (open >= 0) {
            int close = pattern.indexOf(']', open + 2);
            if (close < 0) {
                throw new IllegalArgumentException("an open [ in the pattern " + text);
            }
            open = pattern.indexOf('[', close);
        }
    }

    /**
     * Says whether a pattern matches the path from a byte on. Once a star is reached, no other place for an earlier
     * one of its kind, or for one within a component, could help. So only the last of each is tried again, and no path
     * takes long.
     */
    private static boolean match(char[] pattern, byte[] path, int from) {
        int p = 0;
        int at = from;
        int star = -1; // what follows the last *, and where the path is tried next for it
        int starAt = 0;
        int deep = -1; // the same of the last **
        int deepAt = 0;
        while (p < pattern.length || at < path.length) {
            if (isDeep(pattern, p)) {
                boolean isComponent = p == 0 || pattern[p - 1] == '/';
                p += 2;
                boolean mayBeNone = isComponent && p < pattern.length && pattern[p] == '/';
                deep = p;
                deepAt = mayBeNone ? at : at + 1;
                star = -1;
                p += mayBeNone ? 1 : 0; // ** stands for no component at all
            } else if (p < pattern.length && pattern[p] == '*') {
                star = ++p;
                starAt = at;
            } else if (p < pattern.length && at < path.length && matchesOne(pattern, p, path[at])) {
                at = pattern[p] == '?' ? nextCharacter(path, at) : at + 1;
                p = pattern[p] == '[' ? closing(pattern, p) + 1 : p + 1;
            } else if (star >= 0 && starAt < path.length && path[starAt] != '/') {
                at = ++starAt;
                p = star;
            } else if (deep >= 0 && deepAt <= path.length) {
                at = deepAt++;
                p = deep;
                star = -1;
            } else {
                return false;
            }
        }
        return true;
    }

    private static boolean isDeep(char[] pattern, int p) {
        return p + 1 < pattern.length && pattern[p] == '*' && pattern[p + 1] == '*';
    }

    /** Says whether what stands at a place of a pattern, but for stars, matches a byte. */
    private static boolean matchesOne(char[] pattern, int p, byte of) {
        return switch (pattern[p]) {
            case '?' -> of != '/';
            case '[' -> of != '/' && inClass(pattern, p + 1, closing(pattern, p), of);
            default -> is(pattern[p], of);
        };
    }

    /** Returns the offset behind one character: the bytes of a UTF-8 sequence are one. */
    private static int nextCharacter(byte[] path, int at) {
        int next = at + 1;
        if ((path[at] & 0xc0) == 0xc0) {
            while (next < path.length && (path[next] & 0xc0) == 0x80) {
                next++;
            }
        }
        return next;
    }

    private static int closing(char[] pattern, int open) {
        int close = open + 2;
        while (close < pattern.length && pattern[close] != ']') {
            close++;
        }
        return close;
    }

    private static boolean inClass(char[] pattern, int start, int end, byte value) {
        boolean negated = pattern[start] == '!' || pattern[start] == '^';
        int c = value & 0xff;
        boolean in = false;
        for (int i = negated ? start + 1 : start; i < end; i++) {
            int low = pattern[i] & 0xff;
            int high = low;
            if (i + 2 < end && pattern[i + 1] == '-') {
                high = pattern[i + 2] & 0xff;
                i += 2;
            }
            in |= c >= low && c <= high;
        }
        return in != negated;
    }

    /** Returns the pattern as it was given. */
    @Override
    public String toString() {
        return text;
    }
}
