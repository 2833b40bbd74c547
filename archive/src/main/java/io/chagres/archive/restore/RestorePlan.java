package io.chagres.archive.restore;

import io.chagres.archive.Attributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Says what one tree of a host that is restored holds, as paths below the host's directory. Reads nothing. */
final class RestorePlan {
    private static final Pathname ROOT = Pathname.of("/");

    /** A version and all the names it gets. */
    record PlannedFile(FileVersion version, List<Pathname> paths) {}

    private final HostState state;
    private final Restore.Options options;
    private final NavigableMap<Pathname, Attributes> directories = new TreeMap<>();
    private final Map<Long, PlannedFile> files = new LinkedHashMap<>();
    private final List<NameTree.Entry> links = new ArrayList<>();

    private RestorePlan(HostState state, Restore.Options options) {
        this.state = state;
        this.options = options;
    }

    /** Plans the names that stood. */
    static RestorePlan ofNames(HostState state, Restore.Options options) {
        RestorePlan plan = new RestorePlan(state, options);
        state.names().forEach(plan::addNamed);
        return plan;
    }

    /** Plans what is gone, in a tree of its own. */
    static RestorePlan ofGone(HostState state, Restore.Options options, GoneTree gone) {
        RestorePlan plan = new RestorePlan(state, options);
        gone.forEach((path, id) -> {
            FileVersion version = state.version(id);
            if (version != null) {
                plan.addFile(version, path);
            }
        });
        return plan;
    }

    /** Returns the directories with their attributes, each behind the one it is in. */
    NavigableMap<Pathname, Attributes> directories() {
        return directories;
    }

    /** Returns the files. */
    Iterable<PlannedFile> files() {
        return files.values();
    }

    /** Returns the symbolic links. */
    List<NameTree.Entry> links() {
        return links;
    }

    /** Returns what the files take, without holes and what is lost; {@link Long#MAX_VALUE} for more than that. */
    long bytes() {
        long bytes = 0;
        for (PlannedFile file : files.values()) {
            for (LogRecord.Extent extent : Extents.of(file.version())) {
                boolean lost = extent instanceof LogRecord.CopyRun copy && copy.isLost();
                long length = lost || extent instanceof LogRecord.ZeroRun ? 0 : extent.length();
                // sizes come from the archive: a hostile one must not turn the sum negative
                bytes += Math.min(length, Long.MAX_VALUE - bytes);
            }
        }
        return bytes;
    }

    /** Says whether there is nothing to make. */
    boolean isEmpty() {
        return directories.isEmpty() && files.isEmpty() && links.isEmpty();
    }

    private void addNamed(NameTree.Entry entry) {
        Pathname path = entry.path();
        if (options.address() != null && !options.address().matches(path)) {
            return;
        }
        FileVersion version = entry.version();
        if (entry.kind() == LogRecord.Kind.DIRECTORY) {
            addDirectories(path);
        } else if (version == null) {
            addDirectories(parentOf(path));
            links.add(entry);
        } else if (options.filter().test(version)) {
            addFile(version, path);
        }
    }

    private void addFile(FileVersion version, Pathname path) {
        addDirectories(parentOf(path));
        files.computeIfAbsent(version.id(), id -> new PlannedFile(version, new ArrayList<>()))
                .paths()
                .add(path);
    }

    private static Pathname parentOf(Pathname path) {
        Pathname parent = path.parent();
        return parent == null ? ROOT : parent;
    }

    private void addDirectories(Pathname deepest) {
        if (deepest.length() == 1 || directories.containsKey(deepest)) {
            return;
        }
        NameTree names = state.names();
        int standing = names.along(deepest).getLast().path().length();
        Attributes gone = GoneTree.directoryAttributes(names, deepest);
        for (Pathname at = deepest; at.length() > 1 && !directories.containsKey(at); at = parentOf(at)) {
            directories.put(at, at.length() > standing ? gone : GoneTree.directoryAttributes(names, at));
        }
    }
}
