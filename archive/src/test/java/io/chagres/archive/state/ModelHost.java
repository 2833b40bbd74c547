package io.chagres.archive.state;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
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
    record Name(LogRecord.Kind kind, long version, Pathname target, InodeAttributes attributes) {}

    static final class Version {
        final List<LogRecord.Extent> extents = new ArrayList<>();
        final long start;
        InodeAttributes attributes;
        FileVersion.State state = FileVersion.State.GROWING;
        /** The names it lost last: several when a directory took them all at once. */
        Set<String> lastNames = new HashSet<>();

        Version(LogRecord.VersionOpened opened) {
            start = opened.startPosition();
            attributes = opened.attributes();
        }

        long length() {
            return extents.isEmpty() ? start : extents.getLast().end();
        }
    }

    final TreeMap<String, Name> names = new TreeMap<>();
    final Map<Long, Version> versions = new HashMap<>();

    void apply(LogRecord record) {
        switch (record) {
            case LogRecord.IncarnationOpened r -> {}
            case LogRecord.IncarnationClosed r -> {}
            case LogRecord.Recipients r -> {}
            case LogRecord.ObjectDigest r -> {}
            case LogRecord.NameAdded r -> add(r.path().toString(), r);
            case LogRecord.NameRemoved r -> remove(r.path().toString());
            case LogRecord.NameMoved r -> move(r.from().toString(), r.to().toString());
            case LogRecord.VersionOpened r -> versions.put(r.versionId(), new Version(r));
            case LogRecord.VersionClosed r ->
                version(r.versionId()).state =
                        FileVersion.State.valueOf(r.reason().name());
            case LogRecord.AttributesChanged r -> attributes(r);
            case LogRecord.Derived r -> {}
            case LogRecord.VersionTimes r -> throw new AssertionError(r);
            case LogRecord.Retention r -> throw new AssertionError(r);
            case LogRecord.VersionRetention r -> throw new AssertionError(r);
            case LogRecord.VersionLength r -> throw new AssertionError(r);
            case LogRecord.Moment r -> throw new AssertionError(r);
            case LogRecord.VersionNames r -> throw new AssertionError(r);
            case LogRecord.Repeated r -> {}
            case LogRecord.Extent r -> extend(r);
        }
    }

    Version version(long id) {
        Version version = versions.get(id);
        if (version == null) {
            throw new AssertionError("no version " + id);
        }
        return version;
    }

    private void extend(LogRecord.Extent extent) {
        Version version = version(extent.versionId());
        version.extents.add(extent);
        version.attributes = version.attributes.withMtimeNs(extent.mtimeNs());
        if (version.state == FileVersion.State.SEALED) {
            version.state = FileVersion.State.GROWING;
        }
    }

    private void attributes(LogRecord.AttributesChanged changed) {
        if (changed.versionId() != 0) {
            version(changed.versionId()).attributes = changed.attributes();
            return;
        }
        names.computeIfPresent(
                changed.path().toString(),
                (path, old) -> new Name(old.kind(), old.version(), old.target(), changed.attributes()));
    }

    private void add(String path, LogRecord.NameAdded added) {
        Name old = names.get(path);
        Name name = new Name(added.kind(), added.versionId(), added.target(), added.attributes());
        if (old != null && old.kind() == LogRecord.Kind.DIRECTORY && added.kind() == LogRecord.Kind.DIRECTORY) {
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
            if (name == null || name.kind() != LogRecord.Kind.DIRECTORY) {
                remove(parent);
                names.put(
                        parent, new Name(LogRecord.Kind.DIRECTORY, 0, Samples.NONE, InodeAttributes.DEFAULT_DIRECTORY));
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
