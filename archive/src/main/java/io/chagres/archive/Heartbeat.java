package io.chagres.archive;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The word of a shipper about itself now and then, so that a reader knows whether it lives, and what would be lost if
 * it did not. It consists of lines {@code key=value} under a key of its own. The newest sorts first, by the order of
 * the log and not by a clock. Immutable.
 *
 * @param state whether it continues
 * @param timeMs its wall clock, milliseconds since 1970
 * @param intervalMs when the next one follows at the latest, 1 to {@link #MAX_INTERVAL_MS}
 * @param riskBytes bytes at risk; -1 when unknown
 * @param riskMs age of the oldest of them, in milliseconds; -1 when unknown
 * @param unverifiedBytes bytes that are acknowledged, in files that may hold others since; -1 when unknown
 * @param files files followed; -1 when unknown
 * @param bytesPerSecond bytes acknowledged a second since its heartbeat before, or since it started; -1 when unknown
 * @param version of the program
 * @param follows the paths it was given
 * @param trouble what is wrong, empty when nothing is
 * @param oldestLookMs how long ago it looked at the file that it has not looked at for longest, in milliseconds; -1
 *     when unknown
 * @param lostBytes bytes that it saw and that went before it could read them, since it started; -1 when unknown
 * @param seq the last commit of the host's log that it knew to be acknowledged; 0 when it names none
 */
public record Heartbeat(
        State state,
        long timeMs,
        long intervalMs,
        long riskBytes,
        long riskMs,
        long unverifiedBytes,
        long files,
        long bytesPerSecond,
        String version,
        String follows,
        String trouble,
        long oldestLookMs,
        long lostBytes,
        long seq) {
    /** Longest interval, in milliseconds. */
    public static final long MAX_INTERVAL_MS = 3_600_000;

    /** Interval of a shipper that does not say one, in milliseconds. */
    public static final long USUAL_INTERVAL_MS = 60_000;

    private static final int MAX_TEXT = 500;
    private static final String WHAT = "heartbeat";
    private static final String KEY = "key";

    /** Says whether a shipper continues. */
    public enum State {
        /** It does. */
        RUNNING,
        /** It does, and the store takes nothing of it: it is full, or a quota is used up. */
        FULL,
        /** It has ended, and everything it had seen was acknowledged. */
        DRAINED,
        /** It has ended with bytes at risk. */
        ENDED,
        /** It has ended because another writer took the log of its host: nobody need ship its files now. */
        FENCED;

        /** Says whether it runs. */
        public boolean continues() {
            return this == RUNNING || this == FULL;
        }
    }

    /** Cuts long texts. */
    public Heartbeat {
        version = cut(version);
        follows = cut(follows);
        trouble = cut(trouble);
    }

    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= MAX_TEXT
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_TEXT - 1)) + "\u2026";
    }

    /**
     * Puts it into a store.
     *
     * @param opened seq of the commit that opened the incarnation that speaks
     * @param number 1 for its first heartbeat
     * @return false when there is one of this number already: it is the same, put before its answer was lost
     */
    public boolean put(BlobStore store, String hostId, long opened, long number) throws IOException {
        String key = ArchiveLayout.heartbeat(hostId, opened, number);
        return record().with(KEY, key).put(store, key);
    }

    /**
     * Puts it as the word of a shipper that another keeps from shipping, beside the words of that one.
     *
     * @param key of {@link ArchiveLayout#fenced} or {@link ArchiveLayout#refused}
     * @return false when there is one already
     */
    public boolean putBeside(BlobStore store, String key) throws IOException {
        return record().with(KEY, key).put(store, key);
    }

    /** Says that the shipper of such a word ships again. */
    public static void putBegunAgain(BlobStore store, String wordKey) throws IOException {
        store.putIfAbsent(ArchiveLayout.toBegunAgain(wordKey), MemorySegment.ofArray(new byte[0]));
    }

    /** Returns its text, which {@link #parse} reads: for listeners that have no store. */
    public String text() {
        return record().lines();
    }

    private TextRecord record() {
        return new TextRecord()
                .with("state", state.name().toLowerCase(Locale.ROOT))
                .with("time", timeMs)
                .with("interval", intervalMs)
                .with("risk-bytes", riskBytes)
                .with("risk-ms", riskMs)
                .with("unverified-bytes", unverifiedBytes)
                .with("files", files)
                .with("look-ms", oldestLookMs)
                .with("bytes-per-second", bytesPerSecond)
                .with("version", version)
                .with("follows", follows)
                .with("trouble", trouble)
                .with("lost-bytes", lostBytes)
                .with("seq", seq);
    }

    /**
     * Returns where the newest one of a host lies and when the store took it, but the last words of the fenced; null
     * when there is none. One request, two where a shipper was fenced.
     */
    public static @Nullable BlobInfo newest(BlobStore store, String hostId) throws IOException {
        return newest(store, hostId, BlobList.first(store, ArchiveLayout.heartbeats(hostId)));
    }

    /**
     * Returns the same.
     *
     * @param first the first of all heartbeats, which is of a fenced shipper where there was one
     */
    public static @Nullable BlobInfo newest(BlobStore store, String hostId, @Nullable BlobInfo first)
            throws IOException {
        return first != null && isOfFenced(first.key(), hostId)
                ? BlobList.first(store, ArchiveLayout.livingHeartbeats(hostId))
                : first;
    }

    /** Says whether a key is that of the last word of a fenced shipper. */
    public static boolean isOfFenced(String key, String hostId) {
        return key.startsWith(ArchiveLayout.fenced(hostId));
    }

    /**
     * Reads one.
     *
     * @throws CorruptArchiveException when it is something else, also one that was put under another key
     */
    public static Heartbeat get(BlobStore store, String key) throws IOException {
        TextRecord record = TextRecord.get(store, key, WHAT);
        if (!record.text(KEY).equals(key)) {
            throw new CorruptArchiveException(key, "it is a heartbeat of another host, or another one of this host");
        }
        return of(record);
    }

    /**
     * Reads what is among heartbeats, to see whether it is whole.
     *
     * @throws CorruptArchiveException when it is not
     */
    public static void check(BlobStore store, String key) throws IOException {
        if (ArchiveLayout.begunAgain(key) == null) {
            get(store, key);
        }
    }

    /**
     * Reads the text of one.
     *
     * @param name where it is from
     * @throws CorruptArchiveException when it is something else
     */
    public static Heartbeat parse(String text, String name) throws CorruptArchiveException {
        return of(TextRecord.parse(text, name, WHAT));
    }

    private static Heartbeat of(TextRecord record) {
        State state = State.RUNNING;
        for (State each : State.values()) {
            state = each.name().toLowerCase(Locale.ROOT).equals(record.text("state")) ? each : state;
        }
        long intervalMs = record.number("interval", 0, MAX_INTERVAL_MS);
        return new Heartbeat(
                state,
                record.number("time", 0, Long.MAX_VALUE),
                intervalMs == 0 ? USUAL_INTERVAL_MS : intervalMs,
                record.number("risk-bytes", -1, Long.MAX_VALUE),
                record.number("risk-ms", -1, Long.MAX_VALUE),
                record.number("unverified-bytes", -1, Long.MAX_VALUE),
                record.number("files", -1, Long.MAX_VALUE),
                record.number("bytes-per-second", -1, Long.MAX_VALUE),
                TextRecord.line(record.text("version")),
                TextRecord.line(record.text("follows")),
                TextRecord.line(record.text("trouble")),
                record.number("look-ms", -1, Long.MAX_VALUE),
                record.number("lost-bytes", -1, Long.MAX_VALUE),
                record.number("seq", 0, ArchiveLayout.MAX_NUMBER));
    }
}
