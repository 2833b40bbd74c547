package io.chagres.ship.file;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.RunListener;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects from the log where every version goes on: as commits are applied it joins the checksums of their runs, so
 * that what it keeps is small however many commits there were. Confined to one thread.
 */
public final class ResumePoints implements RunListener {
    private record Collected(PrefixChecksums prefix, Origins origins) {}

    private final Map<Long, Collected> collected = new HashMap<>();
    private final Map<FileIdentity, List<ResumePoint>> points = new HashMap<>();

    @Override
    public void opened(LogRecord.VersionOpened opened) {
        collected.put(opened.versionId(), new Collected(new PrefixChecksums(opened.startPosition()), new Origins()));
    }

    @Override
    public void extent(LogRecord.Extent extent) {
        Collected version = Objects.requireNonNull(collected.get(extent.versionId()));
        switch (extent) {
            case LogRecord.Run run -> version.prefix().append(run.length(), run.crc());
            case LogRecord.PackedRun run -> version.prefix().append(run.length(), run.crc());
            case LogRecord.ObjectRun run -> object(version.prefix(), run);
            case LogRecord.ZeroRun run -> version.prefix().append(run.length(), Crc32cMath.ofZeros(run.length()));
            case LogRecord.CopyRun run -> {
                version.prefix().append(run.length(), run.crc());
                version.origins().append(run.start(), run.end(), run.sourceVersion());
            }
        }
    }

    @Override
    public void restart() {
        collected.clear();
    }

    private static void object(PrefixChecksums prefix, LogRecord.ObjectRun run) {
        for (int i = 0; i < run.crcs().length; i++) {
            long start = run.start() + (long) i * PrefixChecksums.PIECE_BYTES;
            prefix.append(Math.min(PrefixChecksums.PIECE_BYTES, run.end() - start), run.crcs()[i]);
        }
    }

    /** Keeps the versions that may still grow, once the whole log was applied. */
    public void keep(HostState state) {
        for (FileVersion version : state.versions()) {
            Collected found = collected.remove(version.id());
            if (found != null && mayGrow(version)) {
                FileIdentity identity = new FileIdentity(
                        version.key().fsHigh(),
                        version.key().fsLow(),
                        version.key().inode(),
                        version.key().generation());
                points.computeIfAbsent(identity, k -> new ArrayList<>(1))
                        .add(new ResumePoint(
                                version.id(),
                                found.prefix(),
                                found.origins(),
                                version.attributes(),
                                version.lastPath()));
            }
        }
        collected.clear();
    }

    private static boolean mayGrow(FileVersion version) {
        return switch (version.state()) {
            case GROWING, SEALED -> true;
            case TRUNCATED, REWRITTEN, GONE -> false;
        };
    }

    /** Puts back where a file went on that may be found again under another name. */
    public void put(Tail tail, @Nullable Pathname lastPath) {
        points.computeIfAbsent(tail.identity, k -> new ArrayList<>(1))
                .add(new ResumePoint(tail.versionId, tail.bytes.prefix(), tail.origins(), tail.recorded(), lastPath));
    }

    /**
     * Takes the version a file goes on with: of several with one identity (mounted copies of one image) the one that
     * had this name last, else the newest.
     */
    @Nullable
    public ResumePoint claim(FileIdentity identity, Pathname path) {
        List<ResumePoint> candidates = points.get(identity);
        if (candidates == null) {
            return null;
        }
        ResumePoint best = candidates.getLast();
        for (ResumePoint each : candidates) {
            if (path.equals(each.lastPath())) {
                best = each;
            }
        }
        candidates.remove(best);
        if (candidates.isEmpty()) {
            points.remove(identity);
        }
        return best;
    }
}
