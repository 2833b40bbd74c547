package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What can be read of a host: bytes of versions, and names where it can be loaded without salvage. */
final class ReadableHost {
    private final String hostId;
    private final Map<Long, BitSet> there = new HashMap<>();
    private final Map<Long, byte[]> bytes = new HashMap<>();
    private @Nullable Map<String, Long> names;

    private ReadableHost(String hostId) {
        this.hostId = hostId;
    }

    /** Returns the state of a host; null when it is said what is wrong with it. */
    static @Nullable HostState load(BlobStore store, String hostId) throws IOException {
        try {
            return HostLog.load(store, hostId, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            return null;
        }
    }

    static ReadableHost of(BlobStore store, String hostId) throws IOException {
        ReadableHost readable = new ReadableHost(hostId);
        HostState state = load(store, hostId);
        if (state != null) {
            readable.add(store, state);
            Map<String, Long> named = new TreeMap<>();
            for (NameTree.Entry entry : state.names()) {
                FileVersion version = entry.version();
                named.put(entry.path().toString(), version == null ? 0 : version.id());
            }
            readable.names = named;
        }
        readable.add(
                store,
                Salvage.load(
                        store,
                        hostId,
                        PointInTime.NOW,
                        ExtentFilter.ALL,
                        RunListener.NONE,
                        (object, cause, lost) -> {}));
        return readable;
    }

    private void add(BlobStore store, HostState state) throws IOException {
        try (VersionContent content = new VersionContent(store, hostId, state)) {
            for (FileVersion version : state.versions()) {
                int length = (int) version.length();
                byte[] known = bytes.getOrDefault(version.id(), new byte[0]);
                byte[] all = Arrays.copyOf(known, Math.max(length, known.length));
                BitSet set = there.computeIfAbsent(version.id(), id -> new BitSet());
                bytes.put(version.id(), all);
                content.copyProven(
                        version,
                        version.startPosition(),
                        length,
                        (position, piece) -> {
                            byte[] got = piece.toArray(ValueLayout.JAVA_BYTE);
                            System.arraycopy(got, 0, all, (int) position, got.length);
                            set.set((int) position, (int) position + got.length);
                        },
                        (start, end, cause) -> {});
            }
        }
    }

    /** Says whether it can be loaded without salvage. */
    boolean isLoaded() {
        return names != null;
    }

    /** Requires that each byte is the one that was written. */
    void requireTrue(String what, Map<Long, byte[]> written) {
        there.forEach((version, set) -> {
            byte[] truth = written.getOrDefault(version, new byte[0]);
            byte[] got = bytes.getOrDefault(version, new byte[0]);
            for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
                if (i >= truth.length || got[i] != truth[i]) {
                    assertThat(got[i])
                            .as("%s: byte %d of version %d is wrong", what, i, version)
                            .isNull();
                }
            }
        });
    }

    /** Says whether all can be read that can be read of another, and no other names. */
    boolean isAllOf(ReadableHost other) {
        return missing(other) == null && (other.names == null || other.names.equals(names));
    }

    private @Nullable String missing(ReadableHost other) {
        for (Map.Entry<Long, BitSet> each : other.there.entrySet()) {
            BitSet set = (BitSet) each.getValue().clone();
            set.andNot(there.getOrDefault(each.getKey(), new BitSet()));
            if (!set.isEmpty()) {
                return "bytes " + set + " of version " + each.getKey();
            }
        }
        return null;
    }

    /**
     * Requires that all can be read that could be read before, and that it is the same. What is found beside it, as a
     * table may hold what a lost commit said, stands in the whole archive.
     */
    void requireAllOf(String what, ReadableHost before, ReadableHost whole) {
        assertThat(missing(before)).as(what).isNull();
        before.there.forEach((version, set) -> {
            byte[] old = before.bytes.getOrDefault(version, new byte[0]);
            byte[] now = bytes.getOrDefault(version, new byte[0]);
            for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
                if (now[i] != old[i]) {
                    assertThat(now[i])
                            .as("%s: byte %d of version %d", what, i, version)
                            .isEqualTo(old[i]);
                }
            }
        });
        if (before.names != null) {
            Map<String, Long> known = new TreeMap<>(Objects.requireNonNull(whole.names, "names of the whole archive"));
            known.putAll(before.names);
            assertThat(names).as(what).containsAllEntriesOf(before.names);
            assertThat(known).as(what).containsAllEntriesOf(names);
        }
    }
}
