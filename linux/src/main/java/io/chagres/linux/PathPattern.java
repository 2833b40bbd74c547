package io.chagres.linux;

/**
 * A pattern of names as people know it from {@code rsync}, {@code git} and {@code restic}: a {@link Glob} that may end
 * with a slash, and then means directories alone. Slashes that are repeated, a {@code ./} and blanks at the ends mean
 * nothing. A pattern that begins with a slash matches the whole path, or the path from where somebody began. Immutable,
 * safe for any thread.
 */
public final class PathPattern {
    private static final Pathname TOP = Pathname.of("/");

    private final String text;
    private final Glob glob;
    private final boolean anchored;
    private final boolean directoriesOnly;

    private PathPattern(String text) {
        this.text = text;
        String plain = text.strip().replaceAll("/{2,}", "/");
        directoriesOnly = plain.endsWith("/") || plain.endsWith("/.");
        while (plain.contains("/./")) {
            plain = plain.replace("/./", "/");
        }
        plain = plain.replaceFirst("^(\\./)+", "").replaceFirst("/\\.?$", "");
        if (plain.isEmpty() || plain.equals(".")) {
            throw new IllegalArgumentException("the pattern '" + text + "' names nothing");
        }
        anchored = plain.startsWith("/");
        glob = Glob.of(plain);
    }

    /**
     * Compiles a pattern.
     *
     * @throws IllegalArgumentException when it is empty, or no glob
     */
    public static PathPattern of(String pattern) {
        return new PathPattern(pattern);
    }

    /** Says whether it begins with a slash. */
    public boolean isAnchored() {
        return anchored;
    }

    /** Says whether it matches directories alone. */
    public boolean isOfDirectories() {
        return directoriesOnly;
    }

    /** Says whether a path matches. */
    public boolean matches(Pathname path, boolean isDirectory) {
        return (isDirectory || !directoriesOnly) && glob.matches(path);
    }

    /** Says whether a path below another one, or that one itself, matches when the pattern begins there. */
    public boolean matchesFrom(Pathname begin, Pathname path, boolean isDirectory) {
        return anchored
                && (isDirectory || !directoriesOnly)
                && path.startsWith(begin)
                && !path.equals(begin)
                && glob.matches(TOP.resolve(path.relativeTo(begin)));
    }

    /** Returns the pattern as it was given. */
    @Override
    public String toString() {
        return text;
    }
}
