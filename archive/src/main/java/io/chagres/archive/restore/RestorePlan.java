package io.chagres.archive.restore;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LazyIterator;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists what one restored tree of a host holds, as paths below the host's directory: directories, links and files of
 * several names at once, all other files some at a time. Reads no bytes of files.
 */
final class RestorePlan {
    private static final Pathname ROOT = Pathname.of("/");

    /** How many files are planned at once, to be written in the order in which the store holds them. */
    private static final int FILES_AT_ONCE = 8192;

    /** A version and all the names it gets. */
    record PlannedFile(FileVersion version, List<Pathname> paths) {}

    private final HostState state;
    private final RestoreOptions options;
    private final Supplier<Iterator<PlannedFile>> all;
    private final NavigableMap<Pathname, InodeAttributes> directories = new TreeMap<>();
    private final Map<Long, PlannedFile> ofSeveralNames = new LinkedHashMap<>();
    private final List<NameTree.Entry> links = new ArrayList<>();
    private long files;
    private long bytes;

    private RestorePlan(HostState state, RestoreOptions options, Supplier<Iterator<PlannedFile>> all) {
        this.state = state;
        this.options = options;
        this.all = all;
    }

    /** Plans the names that stood. */
    static RestorePlan ofNames(HostState state, RestoreOptions options) {
        RestorePlan plan = new RestorePlan(state, options, () -> new NamedFiles(state, options));
        state.names().forEach(plan::addNamed);
        return plan;
    }

    /** Plans what is gone, in a tree of its own. */
    static RestorePlan ofGone(HostState state, RestoreOptions options, GoneTree gone) {
        Map<Pathname, Long> ids = new LinkedHashMap<>();
        gone.forEach(ids::put);
        RestorePlan plan = new RestorePlan(state, options, () -> goneFiles(state, ids));
        goneFiles(state, ids).forEachRemaining(file -> {
            plan.addDirectories(parentOf(file.paths().getFirst()));
            plan.count(file.version());
        });
        return plan;
    }

    private static Iterator<PlannedFile> goneFiles(HostState state, Map<Pathname, Long> ids) {
        return ids.entrySet().stream()
                .flatMap(each -> {
                    FileVersion version = state.version(each.getValue());
                    return version == null ? Stream.of() : Stream.of(new PlannedFile(version, List.of(each.getKey())));
                })
                .iterator();
    }

    /** Goes through the files of one name that are asked for. */
    private static final class NamedFiles extends LazyIterator<PlannedFile> {
        private final HostState state;
        private final RestoreOptions options;
        private final Iterator<NameTree.Entry> names;

        NamedFiles(HostState state, RestoreOptions options) {
            this.state = state;
            this.options = options;
            names = state.names().iterator();
        }

        @Override
        protected @Nullable PlannedFile following() {
            while (names.hasNext()) {
                NameTree.Entry entry = names.next();
                Pathname path = entry.versionId() == 0 ? ROOT : entry.path();
                FileVersion version =
                        path.equals(ROOT) || !isAskedFor(options, path) ? null : state.version(entry.versionId());
                if (version != null
                        && version.nameCount() == 1
                        && options.filter().test(version)) {
                    return new PlannedFile(version, List.of(path));
                }
            }
            return null;
        }
    }

    /** Returns the directories with their attributes, each behind the one it is in. */
    NavigableMap<Pathname, InodeAttributes> directories() {
        return directories;
    }

    /** Takes some files. */
    interface FileSink {
        void write(List<PlannedFile> files) throws IOException;
    }

    /** Gives all files to a sink, some at a time. */
    void forEachFiles(FileSink sink) throws IOException {
        List<PlannedFile> some = new ArrayList<>(ofSeveralNames.values());
        for (Iterator<PlannedFile> each = all.get(); each.hasNext(); ) {
            some.add(each.next());
            if (some.size() >= FILES_AT_ONCE) {
                sink.write(some);
                some = new ArrayList<>();
            }
        }
        sink.write(some);
    }

    /** Returns the symbolic links. */
    List<NameTree.Entry> links() {
        return links;
    }

    /** Returns what the files take, without holes and what is lost; {@link Long#MAX_VALUE} for more than that. */
    long bytes() {
        return bytes;
    }

    private void count(FileVersion version) {
        files++;
        for (LogRecord.Extent extent : Extents.of(version)) {
            boolean lost = extent instanceof LogRecord.CopyRun copy && copy.isLost();
            long length = lost || extent instanceof LogRecord.ZeroRun ? 0 : extent.length();
            // sizes come from the archive: a hostile one must not turn the sum negative
            bytes += Math.min(length, Long.MAX_VALUE - bytes);
        }
    }

    /** Says whether there is nothing to make. */
    boolean isEmpty() {
        return directories.isEmpty() && files == 0 && links.isEmpty();
    }

    private static boolean isAskedFor(RestoreOptions options, Pathname path) {
        return options.address() == null || options.address().matches(path);
    }

    private void addNamed(NameTree.Entry entry) {
        Pathname path = entry.path();
        if (!isAskedFor(options, path)) {
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
        if (version.nameCount() > 1) {
            PlannedFile file = ofSeveralNames.get(version.id());
            if (file == null) {
                file = new PlannedFile(version, new ArrayList<>());
                ofSeveralNames.put(version.id(), file);
                count(version);
            }
            file.paths().add(path);
        } else {
            count(version);
        }
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
        InodeAttributes gone = GoneTree.directoryAttributes(names, deepest);
        for (Pathname at = deepest; at.length() > 1 && !directories.containsKey(at); at = parentOf(at)) {
            directories.put(at, at.length() > standing ? gone : GoneTree.directoryAttributes(names, at));
        }
    }
}
