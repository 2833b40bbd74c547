package io.chagres.ship;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a reader finds in the archive, compared with what was in the files. */
final class ModelArchive implements AutoCloseable {
    /** The archive at a moment. */
    private record View(HostState state, VersionReader reader) {}

    private final BlobStore store;
    private final String top;
    private @Nullable String hostId;
    private @Nullable View now;

    ModelArchive(BlobStore store, Path top) {
        this.store = store;
        this.top = top + "/";
    }

    /** Returns the id of the only host. */
    String hostId() throws IOException {
        String known = hostId;
        if (known == null) {
            known = HostRegistry.hosts(store).getFirst().id();
            hostId = known;
        }
        return known;
    }

    private View view(PointInTime at) throws IOException {
        HostState state = HostLog.load(store, hostId(), at, ExtentFilter.ALL, RunListener.NONE);
        return new View(state, new VersionReader(store, hostId(), state));
    }

    /** Returns what is there now; reads only what is new. */
    private View now() throws IOException {
        View known = now;
        if (known == null) {
            known = view(PointInTime.NOW);
            now = known;
        } else {
            HostLog.refresh(store, hostId(), known.state);
        }
        return known;
    }

    /** Returns the number of the last commit. */
    long seq() throws IOException {
        return now().state.seq();
    }

    /** Returns what is wrong with the archive now; empty when it holds these files and no others. */
    List<String> differences(Map<String, ModelContent> files) throws IOException {
        return differences(now(), files);
    }

    /** Returns what is wrong with the archive after a commit. */
    List<String> differences(long seq, Map<String, ModelContent> files) throws IOException {
        View view = view(PointInTime.seq(seq));
        try (VersionReader reader = view.reader) {
            return differences(new View(view.state, reader), files);
        }
    }

    private List<String> differences(View view, Map<String, ModelContent> files) throws IOException {
        Map<String, FileVersion> archived = new TreeMap<>();
        view.state.names().forEach(entry -> {
            FileVersion version = entry.version();
            if (version != null) {
                archived.put(entry.path().toString(), version);
            }
        });
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, ModelContent> each : files.entrySet()) {
            FileVersion version = archived.remove(top + each.getKey());
            String difference =
                    version == null ? "is not in the archive" : each.getValue().difference(view.reader, version);
            if (!difference.isEmpty()) {
                wrong.add(each.getKey() + " " + difference);
            }
        }
        for (String name : archived.keySet()) {
            wrong.add(name + " is in the archive, but not in the tree");
        }
        return wrong;
    }

    /** Returns what is wrong with the bytes of these files now; their names may not have been committed yet. */
    List<String> lost(Map<String, ModelContent> files) throws IOException {
        View view = now();
        List<String> lost = new ArrayList<>();
        for (Map.Entry<String, ModelContent> each : files.entrySet()) {
            NameTree.Entry entry = view.state.names().find(Pathname.of(top + each.getKey()));
            FileVersion named = entry == null ? null : entry.version();
            String difference = named == null ? "is nowhere" : each.getValue().difference(view.reader, named);
            if (!difference.isEmpty() && !isHeld(view, each.getValue())) {
                lost.add(each.getKey() + " " + difference);
            }
        }
        return lost;
    }

    /** Returns how many bytes of files are surely not there: those behind the end of all of their versions. */
    long missingBytes(List<Path> files) throws IOException {
        HostState state = now().state;
        Set<Object> counted = new HashSet<>(); // links to one file
        long missing = 0;
        for (Path each : files) {
            long inode = (long) Files.getAttribute(each, "unix:ino");
            long longest = counted.add(inode) ? 0 : Long.MAX_VALUE;
            for (FileVersion version : state.versions()) {
                longest = version.key().inode() == inode ? Math.max(longest, version.length()) : longest;
            }
            missing += Math.max(0, Files.size(each) - longest);
        }
        return missing;
    }

    private static boolean isHeld(View view, ModelContent content) throws IOException {
        for (FileVersion version : view.state.versions()) {
            if (content.difference(view.reader, version).isEmpty()) {
                return true;
            }
        }
        return content.length() == 0;
    }

    /** Returns which of these files no version ends as they were cut. */
    List<ModelTree.Cut> unwitnessed(List<ModelTree.Cut> cuts) throws IOException {
        List<ModelTree.Cut> unwitnessed = new ArrayList<>();
        View view = now();
        for (ModelTree.Cut each : cuts) {
            boolean whole = false;
            for (FileVersion version : view.state.versions()) {
                whole |= version.key().inode() == each.inode()
                        && each.content().difference(view.reader, version).isEmpty();
            }
            if (!whole) {
                unwitnessed.add(each);
            }
        }
        return unwitnessed;
    }

    /** Notes that what was read of the archive may be gone. */
    void compacted() {
        close();
        now = null;
    }

    /** Returns which of these contents no version holds. */
    List<ModelTree.Last> missing(List<ModelTree.Last> contents) throws IOException {
        List<ModelTree.Last> missing = new ArrayList<>();
        for (ModelTree.Last each : contents) {
            if (!isHeld(now(), each.content())) {
                missing.add(each);
            }
        }
        return missing;
    }

    /** Returns how many versions there are of the file that has a name. */
    long versionsOf(String name) throws IOException {
        HostState state = now().state;
        NameTree.Entry entry = state.names().find(Pathname.of(top + name));
        FileVersion version = entry == null ? null : entry.version();
        return version == null
                ? 0
                : state.versions().stream()
                        .filter(each -> each.key().equals(version.key()))
                        .count();
    }

    /** Reads the whole log again, and every version that ever was. */
    void readAll() throws IOException {
        View view = view(PointInTime.NOW);
        try (VersionReader reader = view.reader) {
            for (FileVersion version : view.state.versions()) {
                ModelContent.readAny(reader, version);
            }
        }
    }

    @Override
    public void close() {
        if (now != null) {
            now.reader.close();
        }
    }
}
