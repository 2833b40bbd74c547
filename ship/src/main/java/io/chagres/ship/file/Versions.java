package io.chagres.ship.file;

import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Opens versions, lets one follow another when a file was truncated or rewritten, in the log and in memory.
 * Confined to the shipper's thread.
 */
public final class Versions {
    /** Each new file is held against them. */
    private static final int MOST_ENDED = 1000;

    private final CommitPipeline pipeline;
    private final FileTable files;
    private final TailDescriptors descriptors;
    private final Function<Pathname, Rules> rules;
    private long nextVersionId;
    /** Versions that ended and whose copies are not found by their first bytes, since those were not read here. */
    private final List<Tail> ended = new ArrayList<>();

    private final Map<Long, Tail> endedBefore = new HashMap<>();

    /**
     * Begins.
     *
     * @param nextVersionId the first id that the log has not given away
     * @param rules how a file is shipped that was found under a path
     */
    public Versions(
            CommitPipeline pipeline,
            FileTable files,
            TailDescriptors descriptors,
            long nextVersionId,
            Function<Pathname, Rules> rules) {
        this.rules = rules;
        this.pipeline = pipeline;
        this.files = files;
        this.descriptors = descriptors;
        this.nextVersionId = nextVersionId;
    }

    /** Takes over the versions of another shipper that ended since a time: a copy of one may have more. */
    public void takeOver(ResumePoints before, long sinceMs) {
        before.takeCuts(sinceMs).forEach((follower, cut) -> {
            Tail tail = tail(cut.versionId(), cut.identity(), 0, cut.prefix(), cut.origins(), cut.path());
            tail.bytes().ended(cut.mtimeNs(), cut.endedMs());
            tail.enter(Stage.Over.SUPERSEDED);
            ended.add(tail);
            endedBefore.put(follower, tail);
        });
    }

    /** Returns the versions that were truncated or rewritten and whose first bytes are not known here. */
    public List<Tail> endedUnread() {
        ended.removeIf(tail -> tail.stage() != Stage.Over.SUPERSEDED);
        return ended;
    }

    /** Opens the first version of a file; its bytes count from {@code startPosition}. */
    public Tail open(
            FileIdentity identity, long device, Pathname path, InodeAttributes attributes, long startPosition) {
        Tail tail = tail(nextVersionId++, identity, device, new PrefixChecksums(startPosition), Origins.NONE, path);
        record(tail, 0, path, attributes);
        files.put(tail);
        return tail;
    }

    private Tail tail(
            long versionId,
            FileIdentity identity,
            long device,
            PrefixChecksums prefix,
            Origins origins,
            Pathname path) {
        SourceVolume volume = files.volume(identity, device);
        return new Tail(versionId, volume, identity.inode(), identity.generation(), prefix, origins, rules.apply(path));
    }

    /** Continues a version that the archive knows, and that was found under a path. */
    public Tail resume(ResumePoint point, FileIdentity identity, long device, Pathname path) {
        Tail tail = tail(point.versionId(), identity, device, point.prefix(), point.origins(), path);
        tail.recorded(point.attributes());
        tail.predecessor(endedBefore.remove(point.versionId()));
        files.put(tail);
        return tail;
    }

    /**
     * Lets a new version take over the file of another that was truncated or rewritten: its descriptor and its names.
     */
    public Tail supersede(Tail old, LogRecord.Reason reason, InodeAttributes attributes) {
        pipeline.write(new LogRecord.VersionClosed(old.versionId, reason));
        Tail next = new Tail(
                nextVersionId++,
                old.volume(),
                old.inode(),
                old.generation(),
                new PrefixChecksums(0),
                Origins.NONE,
                old.rules());
        Dentry name = old.name();
        record(next, old.versionId, name == null ? Pathname.of("/") : name.path(), attributes);
        for (Dentry each : old.names()) {
            pipeline.write(new LogRecord.NameAdded(
                    each.path(), LogRecord.Kind.FILE, next.versionId, Pathname.of(""), attributes));
            each.attach(next);
            next.addName(each);
            old.removeName(each);
        }
        old.enter(Stage.Over.SUPERSEDED);
        if (!old.hasHead() && ended.size() < MOST_ENDED) {
            ended.add(old);
        }
        descriptors.hand(old, next);
        files.put(next);
        next.predecessor(old);
        Tail before = old.predecessor();
        if (before != null) {
            before.enter(Stage.Over.DONE); // no file is taken for a copy of it any longer
            files.remove(before);
            old.predecessor(null);
        }
        return next;
    }

    /** Ends a version whose file is gone, and was not followed since a shipper began. */
    public void finish(long versionId) {
        pipeline.write(new LogRecord.VersionClosed(versionId, LogRecord.Reason.GONE));
    }

    /** Ends a version for good. */
    public void finish(Tail tail, LogRecord.Reason reason) {
        pipeline.write(new LogRecord.VersionClosed(tail.versionId, reason));
        tail.enter(Stage.Over.DONE);
        descriptors.close(tail);
        files.remove(tail);
    }

    private void record(Tail tail, long previous, Pathname path, InodeAttributes attributes) {
        FileIdentity id = tail.identity();
        FileKey key = new FileKey(id.fsHigh(), id.fsLow(), id.inode(), id.generation());
        tail.recorded(attributes);
        pipeline.write(new LogRecord.VersionOpened(tail.versionId, key, previous, tail.position(), path, attributes));
    }
}
