package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Chooses the names that a state keeps, and with them the versions that have or had them. A file that was moved under
 * such a name had another one before, and copied bytes lie in another version: a load that meets either keeps that,
 * too, when it is repeated. Confined to one thread.
 */
public final class NameFilter {
    /** With more moves, or more places that something was moved from, the whole host is loaded. */
    private static final int MAX_MOVES = 50_000;

    private static final int MAX_SOURCES = 1000;

    /** Loads repeat until none of them finds another name or version. */
    private static final int MAX_LOADS = 4;

    private record Move(Pathname from, Pathname to) {}

    private final Predicate<Pathname> below;
    private final Predicate<Pathname> paths;
    private final Set<Move> moves = new LinkedHashSet<>();

    /** Paths that were moved to a name that is kept: they are kept, with all below them. */
    private final Set<Pathname> sources = new HashSet<>();

    private final Set<Pathname> aboveSources = new HashSet<>();
    private final Set<Long> versions = new HashSet<>();

    /** Those that are kept from the next load on. */
    private final Set<Long> wanted = new HashSet<>();

    private int loads;

    /**
     * Chooses names.
     *
     * @param below says of a directory whether any name below it may be chosen
     * @param paths says whether a path is chosen
     */
    public NameFilter(Predicate<Pathname> below, Predicate<Pathname> paths) {
        this.below = below;
        this.paths = paths;
    }

    /**
     * Begins a load, unless the one before found all.
     *
     * @throws LargeHostException when repeating it does not end
     */
    boolean begins() {
        int before = sources.size();
        findSources();
        boolean grew = versions.addAll(wanted);
        wanted.clear();
        if (loads > 0 && !grew && sources.size() == before) {
            return false;
        }
        if (++loads > MAX_LOADS) {
            throw new LargeHostException();
        }
        return true;
    }

    /** Says whether a directory or link is kept: it is chosen or above what is, or was moved to such a place later. */
    boolean keeps(Pathname path) {
        return keepsFile(path) || below.test(path) || aboveSources.contains(path);
    }

    /** Says whether a file's name is kept. */
    boolean keepsFile(Pathname path) {
        return paths.test(path) || isOfSource(path);
    }

    private boolean isOfSource(Pathname path) {
        for (Pathname at = sources.isEmpty() ? null : path; at != null; at = at.parent()) {
            if (sources.contains(at)) {
                return true;
            }
        }
        return false;
    }

    /** Says whether a version is kept when it begins. */
    boolean keeps(LogRecord.VersionOpened opened) {
        return versions.contains(opened.versionId()) || keepsFile(opened.path());
    }

    /** Returns the versions that are kept whatever they were called. */
    Set<Long> versions() {
        return versions;
    }

    /** Keeps a version whose records follow. */
    void keep(long versionId) {
        versions.add(versionId);
    }

    /** Keeps a version from the next load on; returns false if it was kept already, and so is nowhere. */
    boolean want(long versionId) {
        wanted.add(versionId);
        return !versions.contains(versionId);
    }

    /** Takes note of a move of what is not known, or of a directory. */
    void moved(LogRecord.NameMoved moved) {
        moves.add(new Move(moved.from(), moved.to()));
        if (moves.size() > MAX_MOVES) {
            throw new LargeHostException();
        }
    }

    private void findSources() {
        int before;
        do {
            before = sources.size();
            for (Move move : moves) {
                if (keeps(move.to()) && !isOfSource(move.from())) {
                    sources.add(move.from());
                    for (Pathname at = move.from().parent(); at != null; at = at.parent()) {
                        aboveSources.add(at);
                    }
                }
            }
            if (sources.size() > MAX_SOURCES) {
                throw new LargeHostException();
            }
        } while (sources.size() > before);
    }
}
