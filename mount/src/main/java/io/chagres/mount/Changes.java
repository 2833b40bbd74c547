package io.chagres.mount;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.fuse.Notifier;
import io.chagres.linux.Pathname;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects how commits change what the kernel may know of a host, and tells it. Confined to the thread that applies
 * commits, which notes each before it applies it and tells afterwards, without holding a lock: the kernel may wait for
 * answers meanwhile.
 */
final class Changes {
    private static final long PAGE_MASK = -BlockCache.PAGE_BYTES;

    /** Stands for attributes only. */
    private static final long NO_PAGES = -1;

    private final NodeTable nodes;
    private final HostTree host;
    /** The offset of a file from which the kernel's pages are no longer right. */
    private final Map<Long, Long> files = new HashMap<>();

    private final Map<Folder, Set<Pathname>> names = new HashMap<>();
    private final Set<Node> others = new HashSet<>();

    /** Directories that have another path now. */
    private final Set<TreeFolder> moved = new HashSet<>();

    /** The names in directories known to the kernel before a commit in which directories move. */
    private final Map<TreeFolder, Map<Pathname, NameTree.Entry>> listings = new HashMap<>();

    Changes(NodeTable nodes, HostTree host) {
        this.nodes = nodes;
        this.host = host;
    }

    boolean isEmpty() {
        return files.isEmpty() && names.isEmpty() && others.isEmpty();
    }

    /** Notes what a commit will change. */
    void note(CommitHeader commit) throws CorruptArchiveException {
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            note(records.next());
        }
    }

    private void note(LogRecord record) {
        switch (record) {
            case LogRecord.NameAdded added -> added(added);
            case LogRecord.NameRemoved removed -> gone(name(removed.path()));
            case LogRecord.NameMoved moved -> {
                NameTree.Entry entry = name(moved.from());
                gone(entry); // the same commit may remove what is below by its new path
                gone(name(moved.to()));
                if (entry != null && entry.kind() == LogRecord.Kind.DIRECTORY) {
                    noteListings();
                    if (nodeOf(entry) instanceof TreeFolder folder) {
                        this.moved.add(folder);
                    }
                }
            }
            case LogRecord.AttributesChanged changed -> {
                if (changed.versionId() == 0) {
                    other(host.state().names().find(changed.path()));
                } else {
                    attributes(changed.versionId());
                }
            }
            case LogRecord.VersionClosed closed -> attributes(closed.versionId());
            case LogRecord.Extent extent -> grown(extent.versionId());
            default -> {}
        }
    }

    private void added(LogRecord.NameAdded added) {
        NameTree.Entry there = host.state().names().find(added.path());
        if (there != null && there.kind() == LogRecord.Kind.DIRECTORY && added.kind() == LogRecord.Kind.DIRECTORY) {
            other(there);
        } else {
            gone(name(added.path()));
            attributes(added.versionId());
        }
    }

    private void attributes(long version) {
        if (version != 0) {
            files.putIfAbsent(version, NO_PAGES);
        }
    }

    /** Pages behind the end a file had are missing or hold zeros. */
    private void grown(long id) {
        FileVersion version = host.state().version(id);
        if (version == null) {
            return;
        }
        host.keepEnd(version);
        if (files.getOrDefault(id, NO_PAGES) == NO_PAGES) {
            files.put(id, version.length() - host.start(version) & PAGE_MASK);
        }
    }

    /**
     * A path will mean something else: the name in the deepest directory on its way that exists. Returns what that
     * leads to.
     */
    private NameTree.@Nullable Entry name(Pathname path) {
        NameTree.Entry at = host.state().names().root();
        byte[] bytes = path.bytes();
        for (int start = 1; start < bytes.length; ) {
            int end = start;
            while (end < bytes.length && bytes[end] != '/') {
                end++;
            }
            Pathname name = Pathname.ofBytes(bytes, start, end - start);
            NameTree.Entry child = at.child(name);
            if (child == null || end == bytes.length || child.kind() != LogRecord.Kind.DIRECTORY) {
                name(at, name);
                return child;
            }
            at = child;
            start = end + 1;
        }
        return null;
    }

    private void name(NameTree.Entry directory, Pathname name) {
        if (nodeOf(directory) instanceof Folder folder) {
            names.computeIfAbsent(folder, each -> new HashSet<>()).add(name);
        }
    }

    private @Nullable Node nodeOf(NameTree.Entry entry) {
        return nodes.of(entry == host.state().names().root() ? host : entry);
    }

    /** The paths of later records may lead through moved directories: so the listings are compared afterwards. */
    private void noteListings() {
        if (listings.isEmpty()) {
            for (Node node : nodes.all()) {
                if (node instanceof TreeFolder folder && folder.host() == host) {
                    Map<Pathname, NameTree.Entry> children = new HashMap<>();
                    folder.entry().children().forEach(child -> children.put(child.name(), child));
                    listings.put(folder, children);
                }
            }
        }
    }

    /** Notes what a commit in which directories moved has changed, once it is applied. */
    void noteMoved() {
        listings.forEach((folder, before) -> {
            for (NameTree.Entry now : folder.entry().children()) {
                NameTree.Entry old = before.remove(now.name());
                if (!now.isSame(old)) {
                    differs(folder, now.name(), old);
                }
            }
            before.forEach((name, old) -> differs(folder, name, old));
        });
        listings.clear();
    }

    private void differs(TreeFolder folder, Pathname name, NameTree.@Nullable Entry old) {
        names.computeIfAbsent(folder, each -> new HashSet<>()).add(name);
        gone(old);
    }

    /** Notes that a file or directory, and everything below it, has one name less or another one. */
    private void gone(NameTree.@Nullable Entry top) {
        if (top == null) {
            return;
        }
        Deque<NameTree.Entry> entries = new ArrayDeque<>();
        entries.push(top);
        while (!entries.isEmpty()) {
            NameTree.Entry at = entries.pop();
            other(at);
            at.children().forEach(entries::push);
        }
    }

    private void other(NameTree.@Nullable Entry entry) {
        Node node = entry == null ? null : nodeOf(entry);
        if (node != null) {
            others.add(node);
        } else if (entry != null) {
            attributes(entry.versionId());
        }
    }

    /**
     * Notes all that differs between the state of now and another one. Returns where the versions began that begin
     * later in that.
     */
    Map<Long, Long> noteReplacement(HostState fresh) {
        Map<Long, Long> starts = new HashMap<>();
        for (FileVersion version : host.state().versions()) {
            FileVersion now = fresh.version(version.id());
            if (now == null || now.length() != version.length() || now.startPosition() != version.startPosition()) {
                files.put(version.id(), 0L);
                if (now != null && now.length() > version.length()) {
                    host.keepEnd(version);
                }
            } else if (now.nameCount() != version.nameCount()
                    || now.changedMs() != version.changedMs()
                    || !now.attributes().equals(version.attributes())) {
                attributes(version.id());
            }
            if (now != null && now.startPosition() > version.startPosition()) {
                starts.put(version.id(), version.startPosition());
            }
        }
        for (Node node : nodes.all()) {
            if (node instanceof TreeFolder folder && folder.host() == host) {
                noteReplacement(folder, fresh);
            }
        }
        return starts;
    }

    private void noteReplacement(TreeFolder folder, HostState state) {
        NameTree.Entry fresh = state.names().find(folder.entry().path());
        if (fresh != null && !fresh.attributes().equals(folder.entry().attributes())) {
            others.add(folder);
        }
        Set<Pathname> differing = names.computeIfAbsent(folder, each -> new HashSet<>());
        for (NameTree.Entry old : folder.entry().children()) {
            NameTree.Entry now = fresh == null ? null : fresh.child(old.name());
            boolean same = now != null
                    && now.kind() == old.kind()
                    && idOf(now) == idOf(old)
                    && now.kind() != LogRecord.Kind.SYMLINK;
            if (!same) {
                differing.add(old.name());
            }
        }
        if (fresh != null) {
            for (NameTree.Entry now : fresh.children()) {
                if (folder.entry().child(now.name()) == null) {
                    differing.add(now.name());
                }
            }
        }
    }

    private static long idOf(NameTree.Entry entry) {
        return entry.version() == null ? 0 : entry.version().id();
    }

    /** Tells the kernel, which ignores what it does not know. */
    void tell(Notifier notifier) {
        names.forEach((folder, changed) -> {
            for (Pathname name : changed) {
                notifier.invalidateEntry(folder.number(), name.bytes());
            }
            notifier.invalidateNode(folder.number(), 0, 0);
        });
        for (Node node : others) {
            notifier.invalidateNode(node.number(), NO_PAGES, 0);
        }
        files.forEach((version, offset) -> {
            HostTree.VersionRange span = offset == NO_PAGES ? null : host.span(version);
            if (FileNumbers.has(version)) {
                notifier.invalidateNode(host.number(version), offset, 0);
            }
            if (span != null) {
                host.showEnd(version, span.end());
                tellAttributes(notifier, version);
            }
        });
    }

    private void tellAttributes(Notifier notifier, long version) {
        if (FileNumbers.has(version)) {
            notifier.invalidateNode(host.number(version), NO_PAGES, 0);
        }
    }

    /**
     * Looks for directories by the paths they have now: so the kernel learns where they went, and a process that is in
     * one keeps its current directory.
     *
     * @param lookup asks the kernel for a path in the mount
     */
    void follow(Consumer<Pathname> lookup) {
        for (TreeFolder folder : moved) {
            Pathname path = folder.entry().path();
            if (path.length() > 1 && host.state().names().find(path) == folder.entry()) {
                lookup.accept(host.place().resolve(Pathname.ofBytes(path.bytes(), 1, path.length() - 1)));
            }
        }
    }

    /**
     * Tells the kernel once more, a while later: an answer that was on its way the first time may have brought back
     * what was there before.
     */
    void tellAgain(Notifier notifier) {
        names.keySet().forEach(folder -> notifier.invalidateNode(folder.number(), 0, 0));
        others.forEach(node -> notifier.invalidateNode(node.number(), NO_PAGES, 0));
        files.keySet().forEach(version -> tellAttributes(notifier, version));
    }
}
