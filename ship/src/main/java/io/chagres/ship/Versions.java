package io.chagres.ship;

import io.chagres.archive.Attributes;
import io.chagres.archive.FileKey;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileIdentity;
import java.io.IOException;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * Opens versions, lets one follow another when a file was truncated or rewritten, and records which bytes a version
 * shares with older ones. Confined to the shipper's thread.
 */
final class Versions {
    private final BlobStore store;
    private final String hostId;
    private final CommitPipeline pipeline;
    private final FileTable files;
    private final OpenFiles openFiles;
    private final ShipListener listener;
    private long nextVersionId;

    Versions(
            BlobStore store,
            String hostId,
            CommitPipeline pipeline,
            FileTable files,
            OpenFiles openFiles,
            ShipListener listener,
            long nextVersionId) {
        this.store = store;
        this.hostId = hostId;
        this.pipeline = pipeline;
        this.files = files;
        this.openFiles = openFiles;
        this.listener = listener;
        this.nextVersionId = nextVersionId;
    }

    /** Opens the first version of a file; its bytes count from {@code startPosition}. */
    Tail open(FileIdentity identity, long device, Pathname path, Attributes attributes, long startPosition) {
        Tail tail = new Tail(nextVersionId++, identity, device, new PrefixChecksums(startPosition), Origins.NONE);
        record(tail, 0, path, attributes);
        files.put(tail);
        return tail;
    }

    /** Goes on with a version that the archive knows. */
    Tail resume(ResumePoint point, FileIdentity identity, long device) {
        Tail tail = new Tail(point.versionId(), identity, device, point.prefix(), point.origins());
        tail.recorded(point.attributes());
        files.put(tail);
        return tail;
    }

    /**
     * Lets a new version take over the file of another that was truncated or rewritten: its descriptor, its names and
     * the prefix both have in common, as far as comparing the bytes with the archive proves it.
     *
     * @param candidate how many bytes from the start may still be the shipped ones
     */
    Tail supersede(Tail old, LogRecord.Reason reason, long candidate, Attributes attributes) {
        pipeline.filling().records().write(new LogRecord.VersionClosed(old.versionId, reason));
        Tail next = new Tail(nextVersionId++, old.identity, old.device, new PrefixChecksums(0), Origins.NONE);
        Dentry name = old.name();
        record(next, old.versionId, name == null ? Pathname.of("/") : name.path(), attributes);
        for (Dentry each : old.names()) {
            pipeline.filling()
                    .records()
                    .write(new LogRecord.NameAdded(
                            each.path(), LogRecord.Kind.FILE, next.versionId, Pathname.of(""), attributes));
            each.attach(next);
            next.addName(each);
            old.removeName(each);
        }
        old.enter(Tail.State.SUPERSEDED);
        openFiles.hand(old, next);
        files.put(next);
        next.predecessor = old;
        old.predecessor = null;
        sharePrefix(old, next, Math.min(candidate, old.acknowledged()));
        return next;
    }

    private void sharePrefix(Tail old, Tail next, long candidate) {
        if (candidate < OriginMatch.MIN_BYTES) {
            return;
        }
        try (ArchivedBytes archived = new ArchivedBytes(store, hostId, sources(old))) {
            Fd fd = Objects.requireNonNull(next.fd());
            while (next.position() < candidate) {
                long want = Math.min(ArchivedBytes.PIECE_BYTES, candidate - next.position());
                long equal = archived.equalBytes(old.versionId, fd, next.position(), want);
                if (equal > 0) {
                    copy(old, next, (int) equal, archived);
                }
                if (equal < want) {
                    return;
                }
            }
        } catch (IOException e) {
            listener.problem("cannot compare " + next.describe() + " with its archived version (" + e.getMessage()
                    + "); it is stored again, nothing is lost");
        }
    }

    /** Records that the bytes just compared are those of an older version, stored by whoever stores them there. */
    void copy(Tail source, Tail target, int length, ArchivedBytes compared) {
        long start = target.position();
        source.origins().split(start, start + length, source.versionId, (from, end, stored) -> {
            int crc = compared.crcOfCompared((int) (from - start), (int) (end - from));
            pipeline.filling()
                    .records()
                    .write(new LogRecord.CopyRun(
                            target.versionId, from, end - from, stored, from, crc, target.mtimeNs()));
            target.advance(end - from, crc);
            target.appendOrigin(from, end, stored);
        });
        pipeline.touch(target);
    }

    /** Returns the versions whose extents are needed to read one. */
    static Set<Long> sources(Tail tail) {
        Set<Long> ids = new HashSet<>();
        tail.origins().split(0, Long.MAX_VALUE, tail.versionId, (from, end, stored) -> ids.add(stored));
        ids.add(tail.versionId);
        return ids;
    }

    /** Ends a version for good. */
    void finish(Tail tail, LogRecord.Reason reason) {
        pipeline.filling().records().write(new LogRecord.VersionClosed(tail.versionId, reason));
        tail.enter(Tail.State.DONE);
        openFiles.close(tail);
        files.remove(tail);
    }

    private void record(Tail tail, long previous, Pathname path, Attributes attributes) {
        FileIdentity id = tail.identity;
        FileKey key = new FileKey(id.fsHigh(), id.fsLow(), id.inode(), id.generation());
        tail.recorded(attributes);
        pipeline.filling()
                .records()
                .write(new LogRecord.VersionOpened(tail.versionId, key, previous, tail.position(), path, attributes));
    }
}
