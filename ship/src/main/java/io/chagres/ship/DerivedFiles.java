package io.chagres.ship;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.Record;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
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
    private static final int REMEMBERED = 1024;

    private record Answer(long versionId, long fromVersion, String codec, boolean equal) {}

    private final BlobStore store;
    private final String hostId;
    private final CommitPipeline pipeline;
    private final Executor executor;
    private final Runnable wakeup;
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<Pathname, Tail> removed = new LinkedHashMap<>();
    private final List<Tail> waiting = new ArrayList<>();
    private int running;

    DerivedFiles(
            BlobStore store, String hostId, CommitPipeline pipeline, Executor executor, Runnable wakeup) {
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
        Tail original = original(parent, own, own.length - codec.length() - 1);
        if (original != null && original.acknowledged() < original.position()) {
            if (!waiting.contains(tail)) {
                waiting.add(tail);
            }
            return;
        }
        tail.derivedSought = true;
        if (original == null) {
            return;
        }
        Fd fd = tail.fd();
        if (fd != null) {
            running++;
            executor.execute(() -> compare(tail, original, fd, codec));
        }
    }

    private @Nullable Tail original(WatchedDirectory parent, byte[] name, int length) {
        Dentry present = Names.child(parent, name, length);
        if (present != null && present.attachment() instanceof Tail tail) {
            return tail;
        }
        return removed.get(parent.path().resolve(Pathname.ofBytes(name, 0, length)));
    }

    private static @Nullable String codecOf(Dentry name) {
        String text = name.name().toString();
        return text.endsWith(".gz") ? "gz" : text.endsWith(".zst") ? "zst" : null;
    }

    private void compare(Tail tail, Tail original, Fd fd, String codec) {
        boolean equal = false;
        try (ArchivedBytes archived = new ArchivedBytes(store, hostId, Versions.sources(original));
                InputStream content = open(fd, codec)) {
            equal = archived.equalsContent(original.versionId, content);
        } catch (IOException e) {
            // not a readable compressed file, or still being written: then it is just a file
        } finally {
            answers.add(new Answer(tail.versionId, original.versionId, codec, equal));
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
        for (Tail tail : List.copyOf(waiting)) {
            waiting.remove(tail);
            look(tail);
        }
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            running--;
            any = true;
            if (answer.equal()) {
                pipeline.filling()
                        .records()
                        .write(new Record.Derived(answer.versionId(), answer.fromVersion(), answer.codec()));
            }
        }
        return any;
    }
}
