package io.chagres.ship;

import io.chagres.archive.Attributes;
import io.chagres.archive.FileKey;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileIdentity;
import java.util.Set;

/**
 * Opens versions, lets one follow another when a file was truncated or rewritten, in the log and in memory.
 * Confined to the shipper's thread.
 */
final class Versions {
    private final CommitPipeline pipeline;
    private final FileTable files;
    private final OpenFiles openFiles;
    private long nextVersionId;

    Versions(CommitPipeline pipeline, FileTable files, OpenFiles openFiles, long nextVersionId) {
        this.pipeline = pipeline;
        this.files = files;
        this.openFiles = openFiles;
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
     * Lets a new version take over the file of another that was truncated or rewritten: its descriptor and its names.
     */
    Tail supersede(Tail old, LogRecord.Reason reason, Attributes attributes) {
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
        old.endCopy();
        old.enter(Tail.State.SUPERSEDED);
        openFiles.hand(old, next);
        files.put(next);
        next.predecessor = old;
        if (old.predecessor != null) {
            old.predecessor.enter(Tail.State.DONE); // no copy is taken for one of it any more
            old.predecessor = null;
        }
        next.drainTarget = old.drainTarget;
        return next;
    }

    /** Adds the versions whose extents are needed to read one. */
    static void addSources(Origins origins, long versionId, Set<Long> ids) {
        origins.split(0, Long.MAX_VALUE, versionId, (from, end, stored) -> ids.add(stored));
        ids.add(versionId);
    }

    /** Ends a version for good. */
    void finish(Tail tail, LogRecord.Reason reason) {
        pipeline.filling().records().write(new LogRecord.VersionClosed(tail.versionId, reason));
        tail.endCopy();
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
                .write(new LogRecord.VersionOpened(
                        tail.versionId, key, previous, tail.bytes.position(), path, attributes));
    }
}
