package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordPlace;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.LogEnd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sum of the commits of one host: names, versions and where their bytes are. After an exception of
 * {@link #apply} it is no longer usable. Confined to one thread.
 */
public final class HostState {
    private final ExtentFilter filter;
    private final RunListener listener;
    private final NameTree names;
    private final @Nullable SortedRows table;

    /** How many names and versions it may have. */
    private int maxEntries;

    /** What keeps names and versions in its place; null for nobody. */
    private final @Nullable HostRows rows;

    private final TreeMap<Long, FileVersion> versions = new TreeMap<>();
    private long seq;
    private long timeMs;
    private long row;

    /** No version that it was taken from has this id or a greater one. */
    private long leastNextId;

    /** Whether the last commit is known only by what a later one repeats of it: not by its chain value. */
    private boolean repeated;

    private byte[] incarnation = new byte[FixedHeader.ID_BYTES];

    /** The commit whose records are being applied; 0 for none. */
    private long applying;

    private byte[] chain = new byte[FixedHeader.CHAIN_BYTES];
    private LogRecord.@Nullable IncarnationOpened lastIncarnation;
    private LogRecord.Recipients recipients = LogRecord.Recipients.NONE;
    private boolean closedCleanly;
    private LogRecord.@Nullable Retention retention;

    /**
     * Makes the state before the first commit.
     *
     * @param filter chooses the versions whose extents are kept
     * @param listener hears of every version and extent that is applied
     */
    public HostState(ExtentFilter filter, RunListener listener) {
        this(filter, listener, Integer.MAX_VALUE);
    }

    /**
     * Makes the state before the first commit, for as long as it is small.
     *
     * @param maxEntries how many names and versions it may have; what adds more throws {@link LargeHostException}
     */
    HostState(ExtentFilter filter, RunListener listener, int maxEntries) {
        this.filter = filter;
        this.listener = listener;
        this.maxEntries = maxEntries;
        table = null;
        rows = null;
        names = new NameTree(null, this);
    }

    /** Makes the state before the first commit, which gives names and versions to somebody else and keeps none. */
    HostState(HostRows rows, RunListener listener) {
        filter = ExtentFilter.NONE;
        this.listener = listener;
        this.rows = rows;
        maxEntries = Integer.MAX_VALUE;
        table = null;
        names = new NameTree(null, this);
    }

    /**
     * Makes the state a table holds: with all extents, without which compressed files hold a version's content. Rows
     * that later commits do not touch stay in the table.
     */
    HostState(SortedRows table) throws IOException {
        this(table, RunListener.NONE);
    }

    /** Makes the state that was written into a table, as far as this one was read. */
    HostState(SortedRows table, HostState written) throws IOException {
        this(table, written.listener);
        names.restored(written.names);
        restored(written);
    }

    /** Makes the state a table holds, as above, with a listener for what comes. */
    HostState(SortedRows table, RunListener listener) throws IOException {
        this(table, listener, Integer.MAX_VALUE);
    }

    /** Makes the state a table holds, as above, as long as little is added to it. */
    HostState(SortedRows table, RunListener listener, int maxEntries) throws IOException {
        filter = ExtentFilter.ALL;
        this.listener = listener;
        this.maxEntries = maxEntries;
        rows = null;
        this.table = table;
        names = new NameTree(table, this);
        for (LogRecord record : table.hostRecords()) {
            apply(table.key(), record, table.header().timeMs());
        }
        restored(table.header());
    }

    /** Returns to whom the shipper encrypts. */
    public LogRecord.Recipients recipients() {
        return recipients;
    }

    /** Returns the state before the first commit, which keeps no extents. */
    public static HostState empty() {
        return new HostState(ExtentFilter.NONE, RunListener.NONE);
    }

    /** Says whether most of it is in a local table. */
    public boolean isLarge() {
        return table != null;
    }

    /** Returns what it stands over, or null. */
    @Nullable
    SortedRows rows() {
        return table;
    }

    /** Returns the one table that it stands over; null where there is none. */
    @Nullable
    StateTable table() {
        return table instanceof StateTable one ? one : null;
    }

    /** Returns the number of the last commit applied; 0 before the first. */
    public long seq() {
        return seq;
    }

    /** Returns when the last commit applied was cut, milliseconds since 1970; 0 before the first. */
    public long timeMs() {
        return timeMs;
    }

    /** Returns the first of the commits up to the last one applied whose times never go back; 0 before the first. */
    long row() {
        return row;
    }

    /** Says whether it is a moment that only a history records: no commit can follow it. */
    public boolean isPast() {
        return seq > 0 && row == 0;
    }

    /** Returns what the next commit must name as its predecessor: 32 bytes, a copy. */
    public byte[] chain() {
        return chain.clone();
    }

    /** Returns where the log this is the state of ends. */
    public LogEnd logEnd() {
        return new LogEnd(seq, chain(), timeMs, row, lastIncarnation);
    }

    /** Returns the run of the writer that made the last commit: 16 bytes, a copy. */
    public byte[] incarnation() {
        return incarnation.clone();
    }

    /** Returns the shipper that opened an incarnation last, or null before the first. */
    public LogRecord.@Nullable IncarnationOpened lastIncarnation() {
        return lastIncarnation;
    }

    /** Says whether the last shipper ended by itself with everything acknowledged. */
    public boolean closedCleanly() {
        return closedCleanly;
    }

    /** Returns an id no version has: greater than all. */
    public long nextVersionId() {
        long kept = versions.isEmpty() ? 0 : versions.lastKey();
        long last = rows == null ? kept : rows.lastVersionId();
        long next = Math.max(leastNextId, Math.max(last, table == null ? 0 : table.lastId()) + 1);
        return retention == null ? next : Math.max(next, retention.nextVersionId());
    }

    /** Returns what retention did to the host, or null when nothing. */
    public LogRecord.@Nullable Retention retention() {
        return retention;
    }

    /** Returns the names that exist. */
    public NameTree names() {
        return names;
    }

    /** Visits the versions that have no name, in no order. */
    public void forEachNameless(Consumer<FileVersion> visitor) {
        if (table != null) {
            table.forEachNameless(names, version -> {
                if (!versions.containsKey(version.id())) {
                    visitor.accept(version);
                }
            });
        }
        for (FileVersion version : versions.values()) {
            if (version.nameCount() == 0) {
                visitor.accept(version);
            }
        }
    }

    /** Returns a version, or null. */
    public @Nullable FileVersion version(long id) {
        FileVersion version = versions.get(id);
        return version == null && table != null ? table.version(id, names) : version;
    }

    /** Returns how many bytes a version has; -1 when it was never opened. */
    long lengthBytes(long id) {
        if (rows != null) {
            return rows.lengthBytes(id);
        }
        FileVersion version = version(id);
        return version == null ? -1 : version.length();
    }

    /** Returns the version that a name of a table leads to. */
    FileVersion named(long id) {
        FileVersion version = version(id);
        if (version == null) {
            throw new UncheckedIOException(
                    new CorruptArchiveException(key(), "it names version " + id + ", which was never opened"));
        }
        return version;
    }

    /** Returns a version to be changed, or null. */
    @Nullable
    FileVersion kept(long id) {
        FileVersion version = versions.get(id);
        if (version == null && table != null) {
            version = table.takeVersion(id, names);
            if (version != null) {
                versions.put(id, version);
            }
        }
        return version;
    }

    /**
     * What commits did to the files of a checkpoint.
     *
     * @param span the commits
     * @param versions ids of all versions that may differ
     */
    public record Changes(CommitSpan span, Set<Long> versions) {}

    /** Returns what differs from the checkpoint it stands over; null where it stands over none, or more than that. */
    public @Nullable Changes changes() {
        StateTable below = table();
        CheckpointId base = below == null ? null : ArchiveLayout.checkpointOf(below.key());
        return base == null ? null : new Changes(new CommitSpan(base.seq(), seq), Set.copyOf(versions.keySet()));
    }

    /** Returns the versions that are in memory, in the order of their ids. */
    NavigableMap<Long, FileVersion> keptVersions() {
        return Collections.unmodifiableNavigableMap(versions);
    }

    /** Returns all versions in the order of their ids. */
    public Collection<FileVersion> versions() {
        return table == null
                ? Collections.unmodifiableCollection(versions.values())
                : new TableVersions(table, names, versions);
    }

    /**
     * Applies the next commit.
     *
     * @param object its key, for messages
     * @throws CorruptArchiveException when it does not follow this state
     */
    public void apply(String object, CommitHeader commit) throws CorruptArchiveException {
        if (commit.seq() != seq + 1) {
            throw new CorruptArchiveException(object, "it says it is commit " + commit.seq() + ", not " + (seq + 1));
        }
        if (!repeated && !Arrays.equals(commit.predecessor(), chain)) {
            throw new CorruptArchiveException(
                    object, "it does not follow commit " + seq + " as it is stored here: the hash chain is broken");
        }
        long expectedRow = seq > 0 && commit.timeMs() >= timeMs ? row : commit.seq();
        if (commit.row() != expectedRow) {
            throw new CorruptArchiveException(
                    object, "it says that times do not go back since commit " + commit.row() + ", not " + expectedRow);
        }
        RecordReader records = commit.recordReader();
        applying = commit.seq();
        int count = 0;
        while (records.hasNext()) {
            apply(object, inCommit(object, records.next(), commit.seq()), commit.timeMs());
            count++;
        }
        if (count != commit.recordCount()) {
            throw new CorruptArchiveException(object, "it has " + count + " records, not " + commit.recordCount());
        }
        seq = commit.seq();
        timeMs = commit.timeMs();
        row = commit.row();
        incarnation = commit.incarnation();
        chain = commit.chain();
        applying = 0;
        repeated = false;
        listener.applied(commit);
    }

    /**
     * Applies the next commit as a later one repeats it; that one follows. The listener does not hear of it as a whole.
     *
     * @param object the key of the later one, for messages
     */
    void apply(String object, LogRecord.Repeated commit) throws CorruptArchiveException {
        RecordReader records = new RecordReader(object, commit.records(), 0, commit.records().length);
        applying = commit.seq();
        while (records.hasNext()) {
            apply(object, inCommit(object, records.next(), commit.seq()), commit.timeMs());
        }
        row = seq > 0 && commit.timeMs() >= timeMs ? row : commit.seq();
        seq = commit.seq();
        timeMs = commit.timeMs();
        applying = 0;
        repeated = true;
    }

    /**
     * Returns a record of a commit as others have it: a run names the commit it lies in by 0, so that a commit need not
     * know its number while it is filled.
     *
     * @throws CorruptArchiveException when no commit may hold it
     */
    public static LogRecord inCommit(String object, LogRecord record, long seq) throws CorruptArchiveException {
        if (!RecordPlace.holds(FixedHeader.COMMIT, record)) {
            throw new CorruptArchiveException(object, "it holds a record that belongs into a checkpoint");
        }
        if (!(record instanceof LogRecord.Run r) || r.seq() != 0) {
            return record;
        }
        return new LogRecord.Run(r.versionId(), r.start(), r.length(), seq, r.dataOffset(), r.crc(), r.mtimeNs());
    }

    /** Ends taking over a part of another state. */
    void restored(HostState of) {
        seq = of.seq;
        timeMs = of.timeMs;
        row = of.row;
        leastNextId = of.nextVersionId();
        repeated = of.repeated;
        incarnation = of.incarnation();
        chain = of.chain();
    }

    /** Returns the key of what it stands over, for messages. */
    String key() {
        return table == null ? "" : table.key();
    }

    /** Ends taking over a checkpoint: the state is that after the commit it was made from. */
    void restored(FixedHeader checkpoint) {
        seq = checkpoint.seq();
        timeMs = checkpoint.timeMs();
        row = checkpoint.row();
        incarnation = checkpoint.incarnation();
        chain = checkpoint.chain();
    }

    /** Takes over where the bytes are of all versions, whose lengths are known, and which were expired since. */
    void attach(CheckpointContents places) throws CorruptArchiveException {
        retention = places.retention(retention);
        for (long id : versions().stream().mapToLong(FileVersion::id).toArray()) {
            FileVersion version = known("", id);
            if (places.start(version) > version.startPosition()) {
                version.expire(places.start(version));
            }
            for (LogRecord.Extent extent : places.extents(version)) {
                version.attach(extent);
                listener.extent(extent);
            }
        }
    }

    /** Returns how many versions begin within their file, but for those whose first bytes were expired. */
    long cutVersions() {
        long cut = rows == null ? 0 : rows.cutVersions();
        for (FileVersion version : versions()) {
            cut += version.startPosition() > version.expiredBytes() ? 1 : 0;
        }
        return cut;
    }

    /**
     * Applies one record, of a checkpoint or table for instance; {@link #restored} follows the last one.
     *
     * @param time of what holds it
     */
    void apply(String object, LogRecord record, long time) throws CorruptArchiveException {
        if (rows != null && HostRows.holds(record)) {
            rows.take(object, record, time);
            return;
        }
        switch (record) {
            case LogRecord.IncarnationOpened r -> {
                lastIncarnation = r;
                closedCleanly = false;
            }
            case LogRecord.IncarnationClosed r -> closedCleanly = r.drained();
            case LogRecord.Recipients r -> recipients = r;
            case LogRecord.NameAdded r -> {
                requireRoom();
                names.add(added(object, r), r.kind() == LogRecord.Kind.FILE ? known(object, r.versionId()) : null);
            }
            case LogRecord.NameRemoved r -> names.remove(name(object, r.path()));
            case LogRecord.NameMoved r -> names.move(name(object, r.from()), name(object, r.to()));
            case LogRecord.VersionOpened r -> open(object, r, time);
            case LogRecord.VersionClosed r -> known(object, r.versionId()).close(r.reason(), time);
            case LogRecord.AttributesChanged r -> change(object, r, time);
            case LogRecord.Derived r -> known(object, r.fromVersion()).addCompressedCopy(r);
            case LogRecord.VersionTimes r -> known(object, r.versionId()).restore(r);
            case LogRecord.Retention r -> retention = r;
            case LogRecord.VersionRetention r -> known(object, r.versionId()).restore(r);
            case LogRecord.VersionLength r -> known(object, r.versionId()).grow(r, time);
            case LogRecord.VersionNames r -> {} // they come
            case LogRecord.Moment r -> {
                seq = r.seq();
                timeMs = r.timeMs();
            }
            case LogRecord.ObjectDigest r -> {} // of the object as it is stored: a check of signatures asks
            case LogRecord.Repeated r -> {} // it was applied, or its reader applies it
            case LogRecord.Extent r -> extend(object, r, time);
        }
    }

    private void open(String object, LogRecord.VersionOpened opened, long time) throws CorruptArchiveException {
        requireRoom();
        boolean keep = filter.keeps(opened.versionId());
        boolean known = table != null && table.holds(opened.versionId());
        if (known || versions.putIfAbsent(opened.versionId(), new FileVersion(opened, time, keep)) != null) {
            throw new CorruptArchiveException(object, "it opens version " + opened.versionId() + " a second time");
        }
        listener.opened(opened);
    }

    /** It may grow from now on: all is loaded. */
    void setLoaded() {
        maxEntries = Integer.MAX_VALUE;
    }

    private void requireRoom() {
        if (versions.size() + names.size() >= maxEntries) {
            throw new LargeHostException();
        }
    }

    private void change(String object, LogRecord.AttributesChanged changed, long time) throws CorruptArchiveException {
        InodeAttributes attributes = changed.attributes();
        if (changed.versionId() == 0) {
            names.change(name(object, changed.path()), attributes);
        } else {
            known(object, changed.versionId()).change(attributes, time);
        }
    }

    private void extend(String object, LogRecord.Extent extent, long time) throws CorruptArchiveException {
        FileVersion version = known(object, extent.versionId());
        if (extent.start() != version.length()) {
            throw new CorruptArchiveException(
                    object,
                    "it continues version " + extent.versionId() + " at byte " + extent.start()
                            + ", but that version ends at byte " + version.length());
        }
        version.extend(extent, time);
        if (applying > 0) {
            version.toldBy(applying);
        }
        listener.extent(extent);
    }

    private FileVersion known(String object, long versionId) throws CorruptArchiveException {
        FileVersion version = kept(versionId);
        if (version == null) {
            throw new CorruptArchiveException(object, "it names version " + versionId + ", which was never opened");
        }
        return version;
    }

    private static LogRecord.NameAdded added(String object, LogRecord.NameAdded added) throws CorruptArchiveException {
        Pathname path = name(object, added.path());
        if (!added.isOfItsKind()) {
            throw new CorruptArchiveException(object, "the name " + path + " leads to what its kind does not have");
        }
        return added;
    }

    private static Pathname name(String object, Pathname path) throws CorruptArchiveException {
        if (!LogRecord.isName(path)) {
            throw new CorruptArchiveException(object, "the path " + path + " cannot be a name on a host");
        }
        return path;
    }
}
