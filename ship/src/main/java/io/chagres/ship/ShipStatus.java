package io.chagres.ship;

import org.jspecify.annotations.Nullable;

/**
 * A shipper's progress and risk, as it knew them at one moment. Immutable.
 *
 * @param files files followed now
 * @param shippedBytes bytes the store has acknowledged since this shipper started
 * @param riskBytes bytes not acknowledged, held back or unreadable; -1 for unknown: a directory is not scanned
 *     yet, or what cannot be read cannot be counted
 * @param riskMs age of the oldest debt, in milliseconds, from the moment it was owed; 0 when nothing is owed. A debt is
 *     a byte at risk, also one held back, unreadable or not seen yet, and a name, an attribute or an end of a file that
 *     the store has not acknowledged
 * @param heldBackBytes the part of {@code riskBytes} that waits because it is a run of trailing zeros
 * @param unverifiedBytes bytes that are acknowledged and not at risk, in files that changed since, or into which
 *     somebody may store without a trace: nothing says that they are other than what was shipped, and nothing proves
 *     that they are the same; -1 for unknown, as {@code riskBytes}
 * @param unreadableFiles files that cannot be read
 * @param unreadableDirectories directories that cannot be read, or hold a name that cannot be looked at
 * @param totalBytes known size of all files followed
 * @param archivedBytes the part of {@code totalBytes} that the store has acknowledged, now or in an earlier run
 * @param commits commits acknowledged since this shipper started
 * @param errors puts that failed since this shipper started; each was tried again
 * @param scanning whether a directory is not scanned yet
 * @param storeTrouble since when the store refuses and why ({@code refuses since 9 s: ...}), or for how long it has not
 *     answered ({@code has not answered for 61 s}); null while it accepts
 * @param missingFiles files that grew when a shipper ran last, and that were not found when this one started: what was
 *     written to them in between is in no archive
 * @param looks when files were looked at
 * @param lost files that were seen and went before they were read; their bytes stay at risk
 * @param unfollowedLinks links that lead out of the sources: the files behind them are not shipped
 * @param leftOutFiles files that were left out for their age when they were seen; one that was renamed counts again
 */
public record ShipStatus(
        long files,
        long shippedBytes,
        long riskBytes,
        long riskMs,
        long heldBackBytes,
        long unverifiedBytes,
        long unreadableFiles,
        long unreadableDirectories,
        long totalBytes,
        long archivedBytes,
        long commits,
        long errors,
        boolean scanning,
        @Nullable String storeTrouble,
        long missingFiles,
        Looks looks,
        Lost lost,
        long unfollowedLinks,
        long leftOutFiles) {

    /** The status before the first step: nothing is known, so the risk is unknown. */
    static final ShipStatus UNKNOWN =
            new ShipStatus(0, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 0, true, null, 0, Looks.UNKNOWN, Lost.NOTHING, 0, 0);

    /** Says whether nothing is owed: no byte, name, attribute or end of a file. */
    public boolean owesNothing() {
        return riskBytes == 0 && riskMs == 0;
    }

    /** Returns the status while the store refuses to be opened: nothing is known but that. */
    public static ShipStatus unopened(String storeTrouble, long errors) {
        return new ShipStatus(
                0, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, errors, true, storeTrouble, 0, Looks.UNKNOWN, Lost.NOTHING, 0, 0);
    }

    /** Returns what is known when nobody has looked for a time, in milliseconds: the risk is unknown, and as old. */
    public ShipStatus silent(long ms) {
        Looks older = new Looks(looks.oldestMs() < 0 ? -1 : looks.oldestMs() + ms, files);
        return with(-1, Math.max(riskMs, ms), -1, older);
    }

    /** Says whether it says something new after another: the age of the oldest look grows by itself. */
    boolean isNewsAfter(ShipStatus told) {
        return looks.overdueFiles() != told.looks.overdueFiles()
                || !withLooks(Looks.NONE).equals(told.withLooks(Looks.NONE));
    }

    private ShipStatus withLooks(Looks other) {
        return with(riskBytes, riskMs, unverifiedBytes, other);
    }

    private ShipStatus with(long bytes, long ms, long unverified, Looks other) {
        return new ShipStatus(
                files,
                shippedBytes,
                bytes,
                ms,
                heldBackBytes,
                unverified,
                unreadableFiles,
                unreadableDirectories,
                totalBytes,
                archivedBytes,
                commits,
                errors,
                scanning,
                storeTrouble,
                missingFiles,
                other,
                lost,
                unfollowedLinks,
                leftOutFiles);
    }
}
