package io.chagres.mount;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.PointInTime;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Says what a mount shows. Immutable: begin with {@link #DEFAULTS}, and every {@code with} method returns a copy.
 *
 * @param at the moment shown; {@link PointInTime#NOW} follows what is committed
 * @param window which files are shown, or null for all
 * @param versions whether {@code .gone} shows earlier states of files too
 * @param hideGone whether there is no {@code .gone}
 * @param linksAsWritten whether symbolic links say what they said on their host, and may lead out of the mount
 * @param ownership whose the files are
 * @param timeoutMs how long a read waits for a store that does not answer, milliseconds
 * @param cacheBytes memory for decompressed blocks, bytes
 */
public record MountOptions(
        PointInTime at,
        @Nullable Predicate<FileVersion> window,
        boolean versions,
        boolean hideGone,
        boolean linksAsWritten,
        Ownership ownership,
        long timeoutMs,
        long cacheBytes) {
    /** All as it was last, live, 30 s of patience, 16 MiB of memory. */
    public static final MountOptions DEFAULTS =
            new MountOptions(PointInTime.NOW, null, false, false, false, Ownership.ARCHIVED, 30_000, 16L << 20);

    /** Returns a copy that shows another moment. */
    public MountOptions withAt(PointInTime value) {
        return new MountOptions(value, window, versions, hideGone, linksAsWritten, ownership, timeoutMs, cacheBytes);
    }

    /** Returns a copy that shows only files that a predicate takes; null for all. */
    public MountOptions withWindow(@Nullable Predicate<FileVersion> value) {
        return new MountOptions(at, value, versions, hideGone, linksAsWritten, ownership, timeoutMs, cacheBytes);
    }

    /** Returns a copy that shows earlier states of files in {@code .gone}, or does not. */
    public MountOptions withVersions(boolean value) {
        return new MountOptions(at, window, value, hideGone, linksAsWritten, ownership, timeoutMs, cacheBytes);
    }

    /** Returns a copy without {@code .gone}, or with it. */
    public MountOptions withHideGone(boolean value) {
        return new MountOptions(at, window, versions, value, linksAsWritten, ownership, timeoutMs, cacheBytes);
    }

    /** Returns a copy whose symbolic links say what they said, or stay inside. */
    public MountOptions withLinksAsWritten(boolean value) {
        return new MountOptions(at, window, versions, hideGone, value, ownership, timeoutMs, cacheBytes);
    }

    /** Returns a copy with other owners. */
    public MountOptions withOwnership(Ownership value) {
        return new MountOptions(at, window, versions, hideGone, linksAsWritten, value, timeoutMs, cacheBytes);
    }

    /** Returns a copy with other patience, in milliseconds. */
    public MountOptions withTimeoutMs(long value) {
        return new MountOptions(at, window, versions, hideGone, linksAsWritten, ownership, value, cacheBytes);
    }

    /** Returns a copy with other memory for blocks, in bytes. */
    public MountOptions withCacheBytes(long value) {
        return new MountOptions(at, window, versions, hideGone, linksAsWritten, ownership, timeoutMs, value);
    }

    /** Says whether what is shown follows what is committed. */
    boolean isLive() {
        return at.equals(PointInTime.NOW);
    }

    /** Returns how many nanoseconds the kernel may believe names and attributes: for ever if it hears of changes. */
    long timeoutNs() {
        return isLive() && window != null ? SHORT_TIMEOUT_NS : Long.MAX_VALUE;
    }

    /** The timeout of names and attributes whose changes the kernel does not hear of. */
    static final long SHORT_TIMEOUT_NS = 1_000_000_000L;
}
