package io.chagres.archive.log;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Is what the commits of one host add up to: names, versions and where their bytes are. Confined to one thread.
 */
public final class HostState {
    private final ExtentFilter filter;
    private final RunListener listener;
    private final NameTree names = new NameTree();
    private final Map<Long, FileVersion> versions = new TreeMap<>();
    private long seq;
    private long timeMs;
    private byte[] chain = new byte[CommitHeader.CHAIN_BYTES];
    private Record.@Nullable IncarnationOpened lastIncarnation;
    private boolean closedCleanly;
    private long nextVersionId = 1;

    /**
     * Makes the state before the first commit.
     *
     * @param filter of which versions the extents are kept
     * @param listener hears of every extent
     */
    public HostState(ExtentFilter filter, RunListener listener) {
        this.filter = filter;
        this.listener = listener;
    }

    /** Returns the state before the first commit, which keeps nothing. */
    public static HostState empty() {
        return new HostState(ExtentFilter.NONE, RunListener.NONE);
    }

    /** Returns the number of the last commit applied; 0 before the first. */
    public long seq() {
        return seq;
    }

    /** Returns the time of the last commit applied, milliseconds since 1970. */
    public long timeMs() {
        return timeMs;
    }

    /** Returns what the next commit must name as its predecessor. */
    public byte[] chain() {
        return chain.clone();
    }

    /** Returns the shipper that wrote last, or null before the first. */
    public Record.@Nullable IncarnationOpened lastIncarnation() {
        return lastIncarnation;
    }

    /** Says whether the last shipper ended by itself with everything acknowledged. */
    public boolean closedCleanly() {
        return closedCleanly;
    }

    /** Returns an id no version has. */
    public long nextVersionId() {
        return nextVersionId;
    }

    /** Returns the names that exist. */
    public NameTree names() {
        return names;
    }

    /** Returns a version, or null. */
    public @Nullable FileVersion version(long id) {
        return versions.get(id);
    }

    /** Returns all versions in the order of their ids. */
    public Collection<FileVersion> versions() {
        return Collections.unmodifiableCollection(versions.values());
    }

    /**
     * Applies the next commit.
     *
     * @param object its key, for messages
     * @throws CorruptArchiveException when it does not follow this state
     */
    public void apply(String object, CommitHeader commit) throws IOException {
        if (commit.seq() != seq + 1) {
            throw new CorruptArchiveException(object, "it says it is commit " + commit.seq() + ", not " + (seq + 1));
        }
        if (!java.util.Arrays.equals(commit.predecessor(), chain)) {
            throw new CorruptArchiveException(object, "it does not follow commit " + seq + ": the hash chain is broken");
        }
        applyRecords(object, commit);
        seq = commit.seq();
        timeMs = commit.timeMs();
        chain = commit.chain();
    }

    /** Takes over the state a checkpoint holds; only into an empty state. */
    void restore(String object, CommitHeader checkpoint) throws IOException {
        applyRecords(object, checkpoint);
        seq = checkpoint.seq();
        timeMs = checkpoint.timeMs();
        chain = checkpoint.predecessor();
    }

    private void applyRecords(String object, CommitHeader commit) throws IOException {
        RecordReader records = new RecordReader(object, commit.records(), 0, commit.records().length);
        while (records.hasNext()) {
            Record record = records.next();
            if (record instanceof Record.Run run && run.seq() == 0) {
                record = new Record.Run(
                        run.versionId(),
                        run.start(),
                        run.length(),
                        commit.seq(),
                        run.dataOffset(),
                        run.crc(),
                        run.mtimeNs());
            }
            applyRecord(object, record, commit.timeMs());
        }
    }

    private void applyRecord(String object, Record record, long time) throws IOException {
        switch (record) {
            case Record.IncarnationOpened r -> {
                lastIncarnation = r;
                closedCleanly = false;
            }
            case Record.IncarnationClosed r -> closedCleanly = r.drained();
            case Record.NameAdded r -> {
                valid(object, r.path());
                names.add(r, r.kind() == Record.Kind.FILE ? known(object, r.versionId()) : null);
            }
            case Record.NameRemoved r -> names.remove(valid(object, r.path()));
            case Record.NameMoved r -> names.move(valid(object, r.from()), valid(object, r.to()));
            case Record.VersionOpened r -> open(object, r, time);
            case Record.VersionClosed r -> known(object, r.versionId()).close(r.reason(), time);
            case Record.AttributesChanged r -> {
                if (r.versionId() == 0) {
                    names.attributes(valid(object, r.path()), r.attributes());
                } else {
                    known(object, r.versionId()).attributes(r.attributes(), time);
                }
            }
            case Record.Derived r -> known(object, r.fromVersion()).compressedBy(r);
            case Record.VersionTimes r -> known(object, r.versionId()).restoreTimes(r);
            case Record.Extent r -> extend(object, r, time);
        }
    }

    private void open(String object, Record.VersionOpened opened, long time) throws IOException {
        if (opened.versionId() <= 0 || versions.containsKey(opened.versionId())) {
            throw new CorruptArchiveException(object, "it opens version " + opened.versionId() + " a second time");
        }
        versions.put(
                opened.versionId(),
                new FileVersion(opened, time, filter.keeps(opened.versionId())));
        nextVersionId = Math.max(nextVersionId, opened.versionId() + 1);
        listener.opened(opened);
    }

    private void extend(String object, Record.Extent extent, long time) throws IOException {
        FileVersion version = known(object, extent.versionId());
        if (extent.start() != version.length()) {
            throw new CorruptArchiveException(
                    object,
                    "it continues version " + extent.versionId() + " at byte " + extent.start() + ", which ends at "
                            + version.length());
        }
        if (extent instanceof Record.CopyRun copy && copy.sourceVersion() >= copy.versionId()) {
            throw new CorruptArchiveException(object, "version " + copy.versionId() + " copies a newer version");
        }
        version.extend(extent, time);
        listener.extent(extent);
    }

    private FileVersion known(String object, long versionId) throws IOException {
        FileVersion version = versions.get(versionId);
        if (version == null) {
            throw new CorruptArchiveException(object, "it tells of version " + versionId + ", which was never opened");
        }
        return version;
    }

    private static Pathname valid(String object, Pathname path) throws IOException {
        if (!NameTree.isValid(path)) {
            throw new CorruptArchiveException(object, "the path " + path + " is not an absolute path of a host");
        }
        return path;
    }
}
