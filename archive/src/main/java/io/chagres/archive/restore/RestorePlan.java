package io.chagres.archive.restore;

import io.chagres.archive.Attributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionName;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.GoneNames;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Says what restoring a host makes, as paths below the host's directory. Reads nothing but small versions. */
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

    /**
     * Makes a plan.
     *
     * @param state keeps all extents
     * @param reader of that state
     */
    static RestorePlan of(HostState state, VersionReader reader, Restore.Options options) throws IOException {
        RestorePlan plan = new RestorePlan(state, options);
        state.names().forEach(plan::addNamed);
        plan.addUnnamed(reader);
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
        Attributes gone = GoneNames.directoryAttributes(names, deepest);
        for (Pathname at = deepest; at.length() > 1 && !directories.containsKey(at); at = parentOf(at)) {
            directories.put(at, at.length() > standing ? gone : GoneNames.directoryAttributes(names, at));
        }
    }

    /** From new to old: newer versions tend to hold the bytes of older ones. */
    private void addUnnamed(VersionReader reader) throws IOException {
        if (options.nameless() == Restore.Nameless.NONE) {
            return;
        }
        List<FileVersion> unnamed = new ArrayList<>();
        for (Selection.Entry entry : Selection.of(state, options.address(), true)) {
            if (!entry.named() && options.filter().test(entry.version())) {
                unnamed.add(entry.version());
            }
        }
        unnamed.sort((a, b) -> Long.compare(b.id(), a.id()));
        boolean all = options.nameless() == Restore.Nameless.ALL || options.salvage();
        StoredElsewhere elsewhere = all || unnamed.isEmpty() ? null : new StoredElsewhere(state, reader, versions());
        for (FileVersion version : unnamed) {
            boolean empty = version.length() == version.startPosition();
            boolean getsItsName = !all && getsItsName(version);
            if (elsewhere == null
                    || !empty && !(getsItsName ? elsewhere.hasCompressed(version) : elsewhere.has(version))) {
                addFile(version, getsItsName ? VersionName.lastPath(version) : asidePath(version));
                if (elsewhere != null) {
                    elsewhere.addWritten(version);
                }
            }
        }
    }

    private List<FileVersion> versions() {
        return files.values().stream().map(PlannedFile::version).toList();
    }

    /** Says whether a version was the last of its name, and nothing stands in the place of that or above it. */
    private boolean getsItsName(FileVersion version) {
        Pathname last = VersionName.lastPath(version);
        GoneNames gone = state.gone();
        NameTree.Entry deepest = state.names().along(last).getLast();
        if (deepest.kind() != LogRecord.Kind.DIRECTORY || deepest.path().equals(last)) {
            return false;
        }
        boolean newest = gone.newest(last) == version;
        return newest && !gone.isDirectory(last) && last.name().length() <= VersionName.MAX_NAME_BYTES;
    }

    /** Returns where a version without a name is written: beside the name it had last. */
    private Pathname asidePath(FileVersion version) {
        Pathname last = VersionName.lastPath(version);
        Pathname directory = parentOf(last);
        NameTree.Entry deepest = state.names().along(directory).getLast();
        if (deepest.kind() != LogRecord.Kind.DIRECTORY) {
            directory = parentOf(deepest.path());
        }
        return directory.resolve(VersionName.of(version));
    }
}
