package io.chagres.archive.verify;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Counts what a check has seen and passes on what its listener wants to hear. Confined to one thread. */
final class VerifyCounter {
    private final VerifyListener listener;
    private final List<VerifyFault> held = new ArrayList<>();
    private Absence absence = object -> false;
    private long hosts;
    private long commits;
    private long checkpoints;
    private long objects;
    private long doneBytes;
    private long totalBytes;
    private long garbageObjects;
    private long garbageBytes;
    private long faults;
    private long known;
    private long sealedHosts;
    private final Set<String> unanswered = new HashSet<>();
    private long orphanObjects;
    private long orphanBytes;
    /** What was counted when the host began. */
    private VerifySummary begun;

    private long begunBytes;
    /** The objects of this host that have a fault. */
    private final Set<String> toldOfHost = new HashSet<>();

    private final Set<String> knownOfHost = new HashSet<>();
    /** Those of the time before it was checked again. */
    private final Set<String> toldBefore = new HashSet<>();

    VerifyCounter(VerifyListener listener) {
        this.listener = listener;
        begun = summary();
    }

    void host() {
        hosts++;
        toldOfHost.clear();
        toldBefore.clear();
        knownOfHost.clear();
        begun = summary();
        begunBytes = totalBytes;
    }

    /** A key is missing, so that the host is checked again without: what was seen of it does not count twice. */
    void sealedHost() {
        sealedHosts++;
        commits = begun.commits();
        checkpoints = begun.checkpoints();
        objects = begun.objects();
        doneBytes = begun.bytes();
        garbageObjects = begun.garbageObjects();
        garbageBytes = begun.garbageBytes();
        orphanObjects = begun.orphanObjects();
        orphanBytes = begun.orphanBytes();
        totalBytes = begunBytes;
        toldBefore.clear();
        toldBefore.addAll(toldOfHost);
    }

    void expect(BlobInfo object) {
        totalBytes += object.lengthBytes();
    }

    void commit(BlobInfo object) {
        commits++;
        done(object);
    }

    void checkpoint(BlobInfo object) {
        checkpoints++;
        done(object);
    }

    void object(BlobInfo object) {
        objects++;
        done(object);
    }

    private void done(BlobInfo object) {
        doneBytes += object.lengthBytes();
        listener.progress(doneBytes, totalBytes);
    }

    void garbage(BlobInfo object) {
        garbageObjects++;
        garbageBytes += object.lengthBytes();
        totalBytes -= object.lengthBytes();
        listener.garbage(object);
    }

    void orphan(BlobInfo object) {
        orphanObjects++;
        orphanBytes += object.lengthBytes();
        totalBytes -= object.lengthBytes();
        listener.orphan(object);
    }

    /** Says whether an object no longer exists. */
    @FunctionalInterface
    interface Absence {
        boolean isGone(String object);
    }

    /** Keeps faults of objects that do not exist back from now on: a compaction may have removed them. */
    void holdBack(Absence absent) {
        absence = absent;
    }

    /** Reports what was kept back, as far as it counts, and keeps nothing back from now on. */
    void tellHeld(Predicate<String> counts) {
        absence = object -> false;
        held.stream().filter(fault -> counts.test(fault.object())).forEach(this::tell);
        held.clear();
    }

    boolean holdsAny() {
        return !held.isEmpty();
    }

    void fault(String object, String what, String consequence) {
        VerifyFault fault = new VerifyFault(object, what, consequence);
        if (absence.isGone(object)) {
            held.add(fault);
        } else {
            tell(fault);
        }
    }

    private void tell(VerifyFault fault) {
        if (toldBefore.contains(fault.object())) {
            return;
        }
        toldOfHost.add(fault.object());
        faults++;
        listener.fault(fault);
    }

    void fault(CorruptArchiveException cause, String consequence) {
        fault(cause.object(), cause.fault(), consequence);
    }

    /** Takes what cannot be read, be it damaged or refused. */
    void fault(String object, IOException cause, String consequence) {
        if (cause instanceof StoreException refusal && refusal.isUnanswered()) {
            unanswered(object, refusal);
        } else if (cause instanceof CorruptArchiveException damage) {
            fault(damage, consequence);
        } else {
            fault(object, "it cannot be read: " + cause.getMessage(), consequence);
        }
    }

    /** Takes what the store did not give: nothing is known of it. */
    void unanswered(String object, StoreException refusal) {
        if (unanswered.add(object)) {
            listener.unanswered(object, String.valueOf(refusal.getMessage()));
        }
    }

    /** Takes what a repair found lost and named; once, whatever checkpoints say it again. */
    void known(CorruptArchiveException cause, String consequence, long namedMs) {
        boolean isNew = knownOfHost.add(cause.object() + " " + consequence);
        if (isNew && !toldBefore.contains(cause.object())) {
            toldOfHost.add(cause.object());
            known++;
            listener.known(new VerifyFault(cause.object(), cause.fault(), consequence), namedMs);
        }
    }

    /** Says whether the host has any fault so far. */
    boolean hasFaultsOfHost() {
        return !toldOfHost.isEmpty();
    }

    long faults() {
        return faults;
    }

    VerifySummary summary() {
        return new VerifySummary(
                hosts,
                commits,
                checkpoints,
                objects,
                doneBytes,
                garbageObjects,
                garbageBytes,
                faults,
                sealedHosts,
                orphanObjects,
                orphanBytes,
                unanswered.size(),
                known);
    }
}
