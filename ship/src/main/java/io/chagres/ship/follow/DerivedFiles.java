package io.chagres.ship.follow;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.copy.ArchivedBytes;
import io.chagres.ship.copy.FdInputStream;
import io.chagres.ship.copy.Origins;
import io.chagres.ship.copy.OwnLog;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.TailFact;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Recognises a compressed file that holds a shipped one (logrotate's {@code compress}): its content is compared with
 * the archived bytes, and the relation is recorded, so that a reader knows these bytes exist under a name. Confined to
 * the shipper's thread; only the comparison runs on the executor.
 */
public final class DerivedFiles {
    private static final int REMEMBERED = 64;
    private static final byte[] GZ = {'.', 'g', 'z'};
    private static final byte[] ZST = {'.', 'z', 's', 't'};

    /** A version from which a file may have been compressed. */
    private record Original(long versionId, Origins origins) {}

    /** A file that lost a name. A name is lost again and again: rotations come faster than comparisons. */
    private record Removed(Pathname path, Tail tail) {
        Removed {
            tail.set(TailFact.HELD, true);
        }
    }

    private final Supplier<OwnLog> log;
    private final CommitPipeline pipeline;
    private final Offload offload;
    private final ArrayDeque<Removed> removed = new ArrayDeque<>();
    private final List<Tail> waiting = new ArrayList<>();
    private int running;

    /** Begins without any file. */
    public DerivedFiles(Supplier<OwnLog> log, CommitPipeline pipeline, Offload offload) {
        this.log = log;
        this.pipeline = pipeline;
        this.offload = offload;
    }

    /** Remembers a file that lost a name: its compressed copy may be looked at only later. */
    public void nameRemoved(Pathname path, Tail tail) {
        removed.addLast(new Removed(path, tail));
        if (removed.size() > REMEMBERED) {
            removed.removeFirst();
        }
    }

    /** Says whether a comparison runs or waits for its original. */
    public boolean isBusy() {
        return running > 0 || !waiting.isEmpty();
    }

    /** Looks at a tail that was read to its end: starts a comparison when it may be a compressed copy. */
    public void look(Tail tail) {
        Dentry name = tail.name();
        if (tail.has(TailFact.DERIVED_SOUGHT) || name == null || tail.position() < tail.size() || tail.size() == 0) {
            return;
        }
        byte[] own = name.name().bytes();
        String codec = codecOf(own);
        WatchedDirectory parent = name.parent();
        if (codec == null || parent == null) {
            tail.set(TailFact.DERIVED_SOUGHT, true);
            return;
        }
        List<Tail> originals = originals(tail, parent, own, own.length - codec.length() - 1);
        if (originals.stream().anyMatch(DerivedFiles::isComing)) {
            if (!waiting.contains(tail)) {
                tail.set(TailFact.HELD, true);
                waiting.add(tail);
            }
            return;
        }
        tail.set(TailFact.DERIVED_SOUGHT, true);
        Fd fd = tail.fd();
        int duplicate = fd == null || originals.isEmpty() ? -1 : fd.tryDuplicate();
        if (duplicate >= 0) {
            List<Original> from = new ArrayList<>();
            for (Tail original : originals) {
                from.add(new Original(original.versionId, original.origins().copy()));
                Set<Long> sources = new LinkedHashSet<>();
                original.origins().addSources(original.versionId, sources);
                sources.remove(original.versionId);
                sources.forEach(each -> from.add(new Original(each, Origins.NONE))); // those it is a copy of
            }
            running++;
            OwnLog known = log.get();
            offload.start(
                    () -> compare(known, from, Fd.ofValue(duplicate), codec), equal -> take(tail, equal, codec), e -> {
                        running--; // not a readable compressed file, or still being written: then it is just a file
                    });
        }
    }

    private void take(Tail tail, List<Long> equal, String codec) {
        running--;
        for (long fromVersion : equal) {
            pipeline.write(new LogRecord.Derived(tail.versionId, fromVersion, codec));
        }
    }

    /**
     * Returns what the file may be compressed from: the file of the same name without the suffix, what that one may be
     * a copy of, and the files that lost a name in this directory of late (a rotation renames what it compressed).
     */
    private List<Tail> originals(Tail tail, WatchedDirectory parent, byte[] name, int length) {
        Set<Tail> found = new LinkedHashSet<>();
        Dentry present = Namesakes.child(parent, name, length);
        Tail original = present == null ? null : Tail.of(present);
        if (original != null) {
            found.add(original);
        }
        found.addAll(Namesakes.originals(tail, parent, name, length));
        Pathname directory = parent.path();
        for (Removed each : removed) {
            if (directory.equals(each.path().parent())) {
                found.add(each.tail());
            }
        }
        found.remove(tail);
        found.removeIf(each -> each.position() == 0 && !isComing(each));
        return new ArrayList<>(found);
    }

    /** Whether bytes of an original are on their way to the archive, so that it cannot be compared yet. */
    private static boolean isComing(Tail original) {
        return (!original.isResting() && original.bytes().acknowledged() < original.position())
                || (original.isLive() && original.hasBacklog() && original.canBeRead());
    }

    private static @Nullable String codecOf(byte[] name) {
        return endsWith(name, GZ) ? "gz" : endsWith(name, ZST) ? "zst" : null;
    }

    private static boolean endsWith(byte[] name, byte[] suffix) {
        int start = name.length - suffix.length;
        return start >= 0 && Arrays.equals(name, start, name.length, suffix, 0, suffix.length);
    }

    private static List<Long> compare(OwnLog log, List<Original> originals, Fd own, String codec) throws IOException {
        List<Long> equal = new ArrayList<>();
        Set<Long> needed = new HashSet<>();
        originals.forEach(each -> each.origins().addSources(each.versionId(), needed));
        try (own;
                ArchivedBytes archived = new ArchivedBytes(log, needed)) {
            for (Original original : originals) {
                try (InputStream content = open(own, codec)) {
                    if (archived.equalsContent(original.versionId(), content)) {
                        equal.add(original.versionId());
                    }
                }
            }
        }
        return equal;
    }

    private static InputStream open(Fd fd, String codec) throws IOException {
        InputStream raw = new BufferedInputStream(new FdInputStream(fd), 1 << 16);
        return codec.equals("gz") ? new GZIPInputStream(raw, 1 << 16) : new ZstdInputStream(raw);
    }

    /** Looks again at files whose original was not in the archive yet. */
    public void step() {
        if (!waiting.isEmpty()) { // asked in each step: not even an iterator
            for (Tail tail : List.copyOf(waiting)) {
                waiting.remove(tail);
                look(tail);
            }
        }
    }
}
