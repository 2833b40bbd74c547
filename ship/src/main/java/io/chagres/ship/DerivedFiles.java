package io.chagres.ship;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Recognises a compressed file that holds a shipped one (logrotate's {@code compress}): its content is compared with
 * the archived bytes, and the relation is recorded, so that a reader knows these bytes exist under a name. Confined to
 * the shipper's thread; only the comparison runs on the executor.
 */
final class DerivedFiles {
    private static final int REMEMBERED = 64;

    private record Answer(long versionId, List<Long> fromVersions, String codec) {}

    private final BlobStore store;
    private final String hostId;
    private final CommitPipeline pipeline;
    private final Executor executor;
    private final Runnable wakeup;
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<Pathname, Tail> removed = new LinkedHashMap<>();
    private final List<Tail> waiting = new ArrayList<>();
    private int running;

    DerivedFiles(BlobStore store, String hostId, CommitPipeline pipeline, Executor executor, Runnable wakeup) {
        this.store = store;
        this.hostId = hostId;
        this.pipeline = pipeline;
        this.executor = executor;
        this.wakeup = wakeup;
    }

    /** Remembers a file that lost a name: its compressed copy may be looked at only later. */
    void nameRemoved(Pathname path, Tail tail) {
        removed.put(path, tail);
        if (removed.size() > REMEMBERED) {
            removed.remove(removed.keySet().iterator().next());
        }
    }

    boolean isBusy() {
        return running > 0 || !waiting.isEmpty();
    }

    /** Looks at a tail that was read to its end: starts a comparison when it may be a compressed copy. */
    void look(Tail tail) {
        Dentry name = tail.name();
        if (tail.derivedSought || name == null || tail.position() < tail.size() || tail.size() == 0) {
            return;
        }
        String codec = codecOf(name);
        WatchedDirectory parent = name.parent();
        if (codec == null || parent == null) {
            tail.derivedSought = true;
            return;
        }
        byte[] own = name.name().bytes();
        List<Tail> originals = originals(tail, parent, own, own.length - codec.length() - 1);
        if (originals.stream().anyMatch(DerivedFiles::isComing)) {
            if (!waiting.contains(tail)) {
                waiting.add(tail);
            }
            return;
        }
        tail.derivedSought = true;
        Fd fd = tail.fd();
        if (fd != null && !originals.isEmpty()) {
            running++;
            executor.execute(() -> compare(tail, originals, fd, codec));
        }
    }

    /**
     * Returns what the file may be compressed from: the file of the same name without the suffix, what that one may be
     * a copy of, and the files that lost a name in this directory of late (a rotation renames what it compressed).
     */
    private List<Tail> originals(Tail tail, WatchedDirectory parent, byte[] name, int length) {
        Set<Tail> found = new LinkedHashSet<>();
        Dentry present = Names.child(parent, name, length);
        if (present != null && present.attachment() instanceof Tail original) {
            found.add(original);
        }
        found.addAll(OriginSearch.originals(tail, parent, name, length));
        Pathname directory = parent.path();
        for (Map.Entry<Pathname, Tail> each : removed.entrySet()) {
            if (directory.equals(each.getKey().parent())) {
                found.add(each.getValue());
            }
        }
        found.remove(tail);
        found.removeIf(each -> each.position() == 0 && !isComing(each));
        return new ArrayList<>(found);
    }

    /** Whether bytes of an original are on their way to the archive, so that it cannot be compared yet. */
    private static boolean isComing(Tail original) {
        return original.acknowledged() < original.position()
                || original.isLive() && original.hasBacklog() && original.canBeRead();
    }

    private static @Nullable String codecOf(Dentry name) {
        String text = name.name().toString();
        return text.endsWith(".gz") ? "gz" : text.endsWith(".zst") ? "zst" : null;
    }

    private void compare(Tail tail, List<Tail> originals, Fd fd, String codec) {
        List<Long> equal = new ArrayList<>();
        Set<Long> needed = new HashSet<>();
        originals.forEach(each -> needed.addAll(Versions.sources(each)));
        try (ArchivedBytes archived = new ArchivedBytes(store, hostId, needed)) {
            for (Tail original : originals) {
                try (InputStream content = open(fd, codec)) {
                    if (archived.equalsContent(original.versionId, content)) {
                        equal.add(original.versionId);
                    }
                }
            }
        } catch (IOException e) {
            // not a readable compressed file, or still being written: then it is just a file
        } finally {
            answers.add(new Answer(tail.versionId, equal, codec));
            wakeup.run();
        }
    }

    private static InputStream open(Fd fd, String codec) throws IOException {
        InputStream raw = new BufferedInputStream(new FdInputStream(fd), 1 << 16);
        return codec.equals("gz") ? new GZIPInputStream(raw, 1 << 16) : new ZstdInputStream(raw);
    }

    /** Takes the answers of comparisons; returns whether there were any. */
    boolean step() {
        boolean any = false;
        if (!waiting.isEmpty()) { // asked in each step: not even an iterator
            for (Tail tail : List.copyOf(waiting)) {
                waiting.remove(tail);
                look(tail);
            }
        }
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            running--;
            any = true;
            for (long fromVersion : answer.fromVersions()) {
                pipeline.filling()
                        .records()
                        .write(new LogRecord.Derived(answer.versionId(), fromVersion, answer.codec()));
            }
        }
        return any;
    }
}
