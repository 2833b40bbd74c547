package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Says what records mean in the plainest way: a map from path to what it leads to. Slow and obvious. */
final class ModelHost {
    record Name(Record.Kind kind, long version, Pathname target, Attributes attributes) {}

    static final class Version {
        final List<Record.Extent> extents = new ArrayList<>();
        final long start;
        Attributes attributes;
        FileVersion.State state = FileVersion.State.GROWING;
        /** The names it lost last: several when a directory took them all at once. */
        Set<String> lastNames = new HashSet<>();

        Version(Record.VersionOpened opened) {
            start = opened.startPosition();
            attributes = opened.attributes();
        }

        long length() {
            return extents.isEmpty() ? start : extents.getLast().end();
        }
    }

    final TreeMap<String, Name> names = new TreeMap<>();
    final Map<Long, Version> versions = new HashMap<>();

    void apply(Record record) {
        switch (record) {
            case Record.IncarnationOpened r -> {}
            case Record.IncarnationClosed r -> {}
            case Record.NameAdded r -> add(r.path().toString(), r);
            case Record.NameRemoved r -> remove(r.path().toString());
            case Record.NameMoved r -> move(r.from().toString(), r.to().toString());
            case Record.VersionOpened r -> versions.put(r.versionId(), new Version(r));
            case Record.VersionClosed r ->
                version(r.versionId()).state =
                        FileVersion.State.valueOf(r.reason().name());
            case Record.AttributesChanged r -> attributes(r);
            case Record.Derived r -> {}
            case Record.VersionTimes r -> throw new AssertionError(r);
            case Record.Retention r -> throw new AssertionError(r);
            case Record.VersionRetention r -> throw new AssertionError(r);
            case Record.Extent r -> extend(r);
        }
    }

    Version version(long id) {
        Version version = versions.get(id);
        if (version == null) {
            throw new AssertionError("no version " + id);
        }
        return version;
    }

    private void extend(Record.Extent extent) {
        Version version = version(extent.versionId());
        version.extents.add(extent);
        version.attributes = version.attributes.withMtimeNs(extent.mtimeNs());
        if (version.state == FileVersion.State.SEALED) {
            version.state = FileVersion.State.GROWING;
        }
    }

    private void attributes(Record.AttributesChanged changed) {
        if (changed.versionId() != 0) {
            version(changed.versionId()).attributes = changed.attributes();
            return;
        }
        names.computeIfPresent(
                changed.path().toString(),
                (path, old) -> new Name(old.kind(), old.version(), old.target(), changed.attributes()));
    }

    private void add(String path, Record.NameAdded added) {
        Name old = names.get(path);
        Name name = new Name(added.kind(), added.versionId(), added.target(), added.attributes());
        if (old != null && old.kind() == Record.Kind.DIRECTORY && added.kind() == Record.Kind.DIRECTORY) {
            names.put(path, name);
            return;
        }
        remove(path);
        makeParents(path);
        names.put(path, name);
    }

    private void makeParents(String path) {
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            String parent = path.substring(0, slash);
            Name name = names.get(parent);
            if (name == null || name.kind() != Record.Kind.DIRECTORY) {
                remove(parent);
                names.put(parent, new Name(Record.Kind.DIRECTORY, 0, Samples.NONE, Attributes.DEFAULT_DIRECTORY));
            }
        }
    }

    /** Takes a path and what is below it out, and returns it. */
    private TreeMap<String, Name> take(String path) {
        TreeMap<String, Name> taken = new TreeMap<>();
        for (String each : List.copyOf(names.keySet())) {
            if (each.equals(path) || each.startsWith(path + "/")) {
                @Nullable Name name = names.remove(each);
                if (name != null) {
                    taken.put(each, name);
                }
            }
        }
        return taken;
    }

    private void remove(String path) {
        Map<Long, Set<String>> lost = new HashMap<>();
        take(path).forEach((each, name) -> {
            if (name.version() != 0) {
                lost.computeIfAbsent(name.version(), k -> new HashSet<>()).add(each);
            }
        });
        lost.forEach((version, paths) -> version(version).lastNames = paths);
    }

    private void move(String from, String to) {
        if (from.equals(to) || to.startsWith(from + "/") || from.startsWith(to + "/")) {
            return;
        }
        remove(to);
        TreeMap<String, Name> moved = take(from);
        if (!moved.isEmpty()) {
            makeParents(to);
            moved.forEach((path, name) -> names.put(to + path.substring(from.length()), name));
        }
    }
}
