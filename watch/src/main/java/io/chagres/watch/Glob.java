package io.chagres.watch;

import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;

/**
 * Matches pathnames bytewise against a pattern: {@code *} and {@code ?} match within one component, {@code [a-z]} and
 * {@code [!a-z]} one byte of a set, a component {@code **} any number of components, and {@code \} takes the meaning
 * from the next byte. A leading dot needs no special care. Immutable.
 */
public final class Glob {
    private static final Pathname ANY_DEPTH = Pathname.of("**");

    private final Pathname pattern;
    private final List<Pathname> components;

    private Glob(Pathname pattern) {
        this.pattern = pattern;
        components = components(pattern);
    }

    /**
     * Makes a matcher.
     *
     * @param pattern with a slash it is compared with whole paths, without one with the last component only
     */
    public static Glob of(Pathname pattern) {
        return new Glob(pattern);
    }

    /** Says whether a text contains a byte that has a meaning in a pattern. */
    public static boolean isPattern(Pathname text) {
        for (int i = 0; i < text.length(); i++) {
            byte b = text.byteAt(i);
            if (b == '*' || b == '?' || b == '[' || b == '\\') {
                return true;
            }
        }
        return false;
    }

    /** Says whether a path matches. Allocates. */
    public boolean matches(Pathname path) {
        List<Pathname> names = components(path);
        if (components.size() == 1 && !pattern.isAbsolute()) {
            return !names.isEmpty() && matchesName(components.getFirst(), names.getLast());
        }
        return pattern.isAbsolute() == path.isAbsolute() && matches(0, names, 0);
    }

    private boolean matches(int component, List<Pathname> names, int name) {
        if (component == components.size()) {
            return name == names.size();
        }
        if (isAnyDepth(components.get(component))) {
            for (int skipped = name; skipped <= names.size(); skipped++) {
                if (matches(component + 1, names, skipped)) {
                    return true;
                }
            }
            return false;
        }
        return name < names.size()
                && matchesName(components.get(component), names.get(name))
                && matches(component + 1, names, name + 1);
    }

    static boolean isAnyDepth(Pathname component) {
        return component.equals(ANY_DEPTH);
    }

    /** Returns the names a path consists of. */
    static List<Pathname> components(Pathname path) {
        byte[] bytes = path.bytes();
        List<Pathname> components = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                if (i > start) {
                    components.add(Pathname.ofBytes(bytes, start, i - start));
                }
                start = i + 1;
            }
        }
        return components;
    }

    /** Says whether one name matches one component of a pattern; goes back to the last star only, so it is quadratic. */
    static boolean matchesName(Pathname pattern, Pathname name) {
        int p = 0;
        int n = 0;
        int star = -1;
        int starName = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.byteAt(p) == '*') {
                star = p++;
                starName = n;
            } else if (p < pattern.length() && matchesByte(pattern, p, name.byteAt(n))) {
                p = end(pattern, p);
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++starName;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.byteAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    private static boolean matchesByte(Pathname pattern, int at, byte b) {
        return switch (pattern.byteAt(at)) {
            case '?' -> true;
            case '[' -> setEnd(pattern, at) < 0 ? b == '[' : inSet(pattern, at, b);
            case '\\' -> at + 1 < pattern.length() ? pattern.byteAt(at + 1) == b : b == '\\';
            default -> pattern.byteAt(at) == b;
        };
    }

    /** Returns where the item of a pattern that starts at a position ends. */
    private static int end(Pathname pattern, int at) {
        return switch (pattern.byteAt(at)) {
            case '[' -> Math.max(at + 1, setEnd(pattern, at) + 1);
            case '\\' -> Math.min(at + 2, pattern.length());
            default -> at + 1;
        };
    }

    /** Returns the position of the bracket that closes a set, or -1 when none does. */
    private static int setEnd(Pathname pattern, int at) {
        int first = at + (isNegated(pattern, at) ? 2 : 1);
        for (int i = first + 1; i < pattern.length(); i++) {
            if (pattern.byteAt(i) == ']') {
                return i;
            }
        }
        return -1;
    }

    private static boolean isNegated(Pathname pattern, int at) {
        return at + 1 < pattern.length() && (pattern.byteAt(at + 1) == '!' || pattern.byteAt(at + 1) == '^');
    }

    private static boolean inSet(Pathname pattern, int at, byte b) {
        boolean negated = isNegated(pattern, at);
        int end = setEnd(pattern, at);
        boolean found = false;
        for (int i = at + (negated ? 2 : 1); i < end; i++) {
            int low = pattern.byteAt(i) & 0xff;
            int high = low;
            if (i + 2 < end && pattern.byteAt(i + 1) == '-') {
                high = pattern.byteAt(i + 2) & 0xff;
                i += 2;
            }
            found |= (b & 0xff) >= low && (b & 0xff) <= high;
        }
        return found != negated;
    }

    /** Returns the pattern, for people. */
    @Override
    public String toString() {
        return pattern.toString();
    }
}
