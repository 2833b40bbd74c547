package io.chagres.forward;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.follow.FollowedHost;
import io.chagres.archive.read.Address;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the files of one host. The contents of a transaction follow from the archive and the positions alone, so
 * that a forwarder has no state of its own. Confined to one thread.
 */
final class HostForwarder implements AutoCloseable {
    private static final long TRANSACTION_BYTES = 4 << 20;
    private static final long RECORD_BYTES = 200; // what a short line costs beside its bytes

    private final BlobStore store;
    private final HostRegistry.Owner host;
    private final Address address;
    private final ForwardOptions options;
    private final Sink sink;
    private final LongSupplier clockMs;
    private final ForwardListener listener;
    private final FollowedHost newest;
    private final int longestValue;
    private final Map<Long, Position> positions = new TreeMap<>(); // the older version of a name goes first
    private final Map<Long, HalfLine> halfLines = new HashMap<>();
    private final Set<Long> reopened = new HashSet<>(); // continued although they seemed to be over
    private final Map<Long, Position> moved = new TreeMap<>();
    private final Unanswered unanswered = new Unanswered();
    private @Nullable HostSink out;
    private boolean changed;
    private boolean vanished;
    private boolean hurried;
    /** Since when something is to be forwarded; {@link Long#MAX_VALUE} for nothing. */
    private long owedSinceMs = Long.MAX_VALUE;

    private long lookedMs;
    private long sentBytes; // in this transaction, with what the records cost

    /** Half a line, and since when it waits. */
    private record HalfLine(long offset, long sinceMs) {}

    /** Forwards nothing yet. */
    HostForwarder(
            BlobStore store,
            HostRegistry.Owner host,
            Address address,
            ForwardOptions options,
            Sink sink,
            LongSupplier clockMs,
            ForwardListener listener) {
        this.store = store;
        this.host = host;
        this.address = address;
        this.options = options;
        this.sink = sink;
        this.clockMs = clockMs;
        this.listener = listener;
        ExtentFilter filter = ExtentFilter.of(id -> !isOver(id) || reopened.contains(id));
        newest = new FollowedHost(store, host.id(), filter, options.tables());
        longestValue = sink.maxValueBytes();
    }

    /** Returns whose files these are. */
    HostRegistry.Owner owner() {
        return host;
    }

    /**
     * Forwards one transaction of what was committed.
     *
     * @return whether there may be more
     * @throws SinkException when the sink does not answer: to be tried again
     */
    boolean step() throws IOException {
        if (out == null) {
            owedSinceMs = Math.min(owedSinceMs, clockMs.getAsLong());
            lookedMs = clockMs.getAsLong();
            open();
        } else if (!changed) {
            long sinceMs = lookedMs; // what is new came after the look before
            lookedMs = clockMs.getAsLong();
            changed = newest.refresh();
            owedSinceMs = changed ? Math.min(owedSinceMs, sinceMs) : owedSinceMs;
        }
        if (!changed && !isHalfLineDue()) {
            return false;
        }
        boolean done = false;
        try {
            takeNew();
            changed = transaction();
            vanished = false;
            done = true;
            owedSinceMs = changed
                    ? owedSinceMs
                    : halfLines.values().stream()
                            .mapToLong(HalfLine::sinceMs)
                            .min()
                            .orElse(Long.MAX_VALUE);
            return changed;
        } catch (NoSuchBlobException e) {
            if (vanished) {
                throw e;
            }
            vanished = true; // by a compaction, perhaps: the log is read again
            return true;
        } finally {
            if (!done) {
                discard(); // what was sent no longer belongs to a transaction
            }
        }
    }

    private void open() throws IOException {
        HostSink opened = sink.open(host);
        boolean done = false;
        try {
            unanswered.settle(opened.positions(), host, listener);
            positions.clear();
            positions.putAll(opened.positions());
            halfLines.clear();
            newest.reload();
            if (positions.isEmpty() && options.sinceMs() > 0) {
                begin(opened);
            }
            changed = true;
            out = opened;
            done = true;
        } finally {
            if (!done) {
                opened.close();
            }
        }
    }

    /** Takes as forwarded what the files of the host held at a time, before anything is sent. */
    private void begin(HostSink opened) throws IOException {
        Map<Long, Position> begun = new TreeMap<>();
        PointInTime since = PointInTime.time(options.sinceMs());
        HostState past = HostLog.open(store, host.id(), since, ExtentFilter.NONE, null, options.tables());
        for (FileVersion version : past.versions()) {
            Pathname path = match(version);
            if (path != null && version.length() > 0) {
                begun.put(version.id(), first(version, path, version.length()));
            }
        }
        if (!begun.isEmpty()) {
            opened.commit(begun);
            positions.putAll(begun);
        }
    }

    /** Says whether a version was forwarded to its end, as far as is known. */
    private boolean isOver(long versionId) {
        Position at = positions.get(versionId);
        return at != null && Position.isOver(at.state());
    }

    /** Takes up versions that the address has come to mean, but no copies of files that are forwarded. */
    private void takeNew() throws IOException {
        Set<Long> compressed = new HashSet<>();
        for (FileVersion version : newest.state().versions()) {
            for (LogRecord.Derived copy : version.compressedCopies()) {
                compressed.add(copy.versionId());
            }
        }
        boolean readable = true;
        for (FileVersion version : newest.state().versions()) {
            Position at = positions.get(version.id());
            if (at != null) {
                if (version.extents() == null && version.length() > at.offset()) {
                    reopened.add(version.id());
                    readable = false;
                }
                continue;
            }
            Pathname path = compressed.contains(version.id()) ? null : match(version);
            if (path != null) {
                positions.put(version.id(), first(version, path, 0));
            }
        }
        if (!readable) {
            newest.reload();
        }
    }

    /** Returns a name of a version that the address means; the one it began with, if that is one. */
    private @Nullable Pathname match(FileVersion version) {
        if (version.openedPath().length() > 0 && address.matches(version.openedPath())) {
            return version.openedPath();
        }
        for (Pathname path : version.paths()) {
            if (address.matches(path)) {
                return path;
            }
        }
        Pathname last = version.lastPath();
        return last != null && address.matches(last) ? last : null;
    }

    private static Position first(FileVersion version, Pathname path, long offset) {
        return new Position(offset, offset, version.openedMs(), FileVersion.State.GROWING, path, path);
    }

    private boolean transaction() throws IOException {
        sentBytes = 0;
        boolean more = false;
        for (Map.Entry<Long, Position> each : positions.entrySet()) {
            FileVersion version = newest.state().version(each.getKey());
            if (version == null) {
                halfLines.remove(each.getKey()); // retention took it
                continue;
            }
            more |= advance(version, each.getValue());
            if (sentBytes >= TRANSACTION_BYTES) {
                more = true;
                break;
            }
        }
        if (!moved.isEmpty()) {
            Objects.requireNonNull(out).commit(moved);
            positions.putAll(moved);
            moved.clear();
            unanswered.taken(host, listener);
        }
        return more;
    }

    /** Forwards what fits of a version; returns whether more of it is there. */
    private boolean advance(FileVersion version, Position at) throws IOException {
        if (at.openedMs() != version.openedMs()) {
            throw new IOException("the positions of " + host.title() + " are those of another archive: " + at.path()
                    + " began at another time there. Give this forwarding a name of its own with --as");
        }
        long start = Math.max(at.offset(), version.startPosition());
        long end = Math.min(version.length(), start + Math.max(TRANSACTION_BYTES, 2L * longestValue));
        Position next = at;
        if (start > at.offset() && at.offset() > 0) {
            listener.expired(host, at.path(), at.offset(), start);
        }
        start = Math.max(start, endOfCopies(version));
        long hole = start < end ? Extents.largeHole(version, start, end) : end;
        if (hole < end) {
            next = forwardUpToHole(version, at, start, hole);
        } else if (start < end) {
            next = forward(version, at, start, end);
        } else if (start > at.offset()) {
            next = at.moved(start, start);
        }
        boolean more = hole < version.length();
        if (!more) {
            next = tellState(version, next);
        }
        if (!next.equals(at)) {
            moved.put(version.id(), next);
        }
        return more;
    }

    private Position forward(FileVersion version, Position at, long start, long end) throws IOException {
        LineCutter cutter = cut(version, at, start, end);
        boolean wholeFile = end == version.length();
        if (wholeFile && (options.chunks() || Position.isOver(version.state()) || isDue(version, cutter.offset()))) {
            cutter.flush(Position.isOver(version.state()));
            halfLines.remove(version.id());
        }
        return at.moved(cutter.offset(), cutter.line());
    }

    /** Nobody wants the zeros: the line before them ends, and the next one begins behind them. */
    private Position forwardUpToHole(FileVersion version, Position at, long start, long hole) throws IOException {
        cut(version, at, start, hole).flush(true);
        halfLines.remove(version.id());
        long end = Extents.holeEnd(version, hole);
        return at.moved(end, end);
    }

    private LineCutter cut(FileVersion version, Position at, long start, long end) throws IOException {
        long line = at.offset() == start ? at.line() : start;
        LineCutter cutter = new LineCutter(
                longestValue,
                options.chunks(),
                start,
                line,
                (offset, value, lineStart, last, next, nextLine) ->
                        send(record(version, at, offset, value, lineStart, last), at.moved(next, nextLine)));
        newest.content().copy(version, start, end, (position, piece) -> cutter.write(piece));
        return cutter;
    }

    private ForwardedRecord record(
            FileVersion version, Position at, long offset, byte[] value, long line, boolean last) {
        return new ForwardedRecord(
                host, at.path(), version.id(), version.key(), offset, line, last, "", null, version.changedMs(), value);
    }

    private void sendEvent(FileVersion version, Position at, String event, @Nullable Pathname name, Position after)
            throws IOException {
        ForwardedRecord told = new ForwardedRecord(
                host,
                at.path(),
                version.id(),
                version.key(),
                at.offset(),
                ForwardedRecord.WHOLE,
                true,
                event,
                name,
                version.changedMs(),
                new byte[0]);
        send(told, after);
    }

    private void send(ForwardedRecord record, Position after) throws IOException {
        unanswered.add(record, after);
        sentBytes += record.value().length + RECORD_BYTES;
        if (Objects.requireNonNull(out).send(record, after)) {
            unanswered.taken(host, listener);
        }
    }

    /** Says whether half a line has waited long enough; begins to wait for one that is new. */
    private boolean isDue(FileVersion version, long offset) {
        HalfLine known = halfLines.get(version.id());
        if (offset == version.length()) {
            halfLines.remove(version.id());
            return false;
        }
        if (known == null || known.offset != offset) {
            halfLines.put(version.id(), new HalfLine(offset, clockMs.getAsLong()));
            return options.maxLineAgeMs() == 0 || hurried;
        }
        return isDue(known);
    }

    private boolean isDue(HalfLine half) {
        return hurried || clockMs.getAsLong() - half.sinceMs >= options.maxLineAgeMs();
    }

    private boolean isHalfLineDue() {
        return halfLines.values().stream().anyMatch(this::isDue);
    }

    /** Tells what became of a version that was forwarded to its end. */
    private Position tellState(FileVersion version, Position at) throws IOException {
        FileVersion.State now = version.state();
        if (!options.events()) {
            return now == at.state() ? at : with(at, now, at.name());
        }
        Pathname name = version.lastPath();
        Pathname known = name == null ? at.name() : name;
        if (!known.equals(at.name())) {
            sendEvent(version, at, "renamed", known, with(at, at.state(), known));
        }
        Position told = now == at.state() && known.equals(at.name()) ? at : with(at, now, known);
        if (now != at.state() && Position.isOver(now)) {
            sendEvent(version, at, word(now), name, told);
        }
        return told;
    }

    private static Position with(Position at, FileVersion.State state, Pathname name) {
        return new Position(at.offset(), at.line(), at.openedMs(), state, at.path(), name);
    }

    private static String word(FileVersion.State state) {
        return switch (state) {
            case TRUNCATED -> "truncated";
            case REWRITTEN -> "rewritten";
            case GONE -> "gone";
            case GROWING, SEALED -> throw new IllegalArgumentException(state.name());
        };
    }

    /**
     * A copy of a file that is forwarded (copytruncate, a rewritten file) begins with bytes that were sent already. It
     * may have holes, and continue in later commits.
     */
    private long endOfCopies(FileVersion version) {
        long end = version.startPosition();
        if (version.extents() == null) {
            return end;
        }
        for (LogRecord.Extent extent : version.extents()) {
            if (extent instanceof LogRecord.CopyRun run && positions.containsKey(run.sourceVersion())) {
                end = run.end();
            } else if (!(extent instanceof LogRecord.ZeroRun)) {
                return end;
            }
        }
        return end;
    }

    /** Publishes half lines as parts from now on, or lets them wait again. */
    void hurry(boolean now) {
        hurried = now;
    }

    /** Says how far it was forwarded; null before it was opened. */
    @Nullable
    Progress progress() {
        if (out == null) {
            return null;
        }
        long left = 0;
        for (FileVersion version : newest.state().versions()) {
            Position at = positions.get(version.id());
            long from = Math.max(at == null ? 0 : at.offset(), version.startPosition());
            left += at == null && match(version) == null ? 0 : Math.max(0, version.length() - from);
        }
        return new Progress(newest.state().seq(), left);
    }

    /** Returns since when the oldest line is to be forwarded, by the clock; {@link Long#MAX_VALUE} for none. */
    long owedSinceMs() {
        return owedSinceMs;
    }

    /** Returns how far a version was forwarded. */
    long forwarded(long versionId) {
        Position at = positions.get(versionId);
        return at == null ? 0 : at.offset();
    }

    /** Reads anew what is known of the host. */
    void reload() throws IOException {
        if (out != null) {
            newest.reload();
            changed = true;
        }
    }

    private void discard() {
        moved.clear();
        if (out != null) {
            out.close();
            out = null;
        }
    }

    @Override
    public void close() {
        discard();
        newest.close();
    }
}
