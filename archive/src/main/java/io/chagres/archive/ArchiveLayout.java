package io.chagres.archive;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Knows the keys of every object of an archive; nothing else does. Stateless, safe for any thread. */
public final class ArchiveLayout {
    /** Prefix below which every host has its id. */
    public static final String HOSTS = "hosts/";

    /** Prefix of the keys by which hosts are found; {@link HostKey} knows the rest of them. */
    public static final String NAMES = "names/";

    /** Prefix of the marks of checkpoints that count: a shipper's rights do not reach it. */
    public static final String COMPACTED = "compacted/";

    /** Below it, under its own key, is what a person has seen and acknowledged. A shipper's rights do not reach it. */
    public static final String ACKNOWLEDGED = "acknowledged/";

    /** Below it, under its own key, is every object that {@code repair} moved away. */
    public static final String QUARANTINE = "quarantine/";

    /** Greatest number of a commit, and greatest position of an object's bytes, that a key can hold. */
    public static final long MAX_NUMBER = 9_999_999_999_999_999L;

    private static final int SEQ_DIGITS = 16;
    private static final int ID_DIGITS = 16;
    private static final String ZSTD_SUFFIX = Codec.ZSTD.suffix();
    private static final int SPAN_DIGITS = 2 * SEQ_DIGITS + 1;
    private static final int HISTORY_NAME = SPAN_DIGITS + 1 + ID_DIGITS + 4;
    private static final String FENCED = "0-fenced/";
    private static final String BEGUN_AGAIN = "-begun";
    private static final String MANIFEST = "-manifest";

    private ArchiveLayout() {}

    /** Returns the prefix of all that is of a host, but the keys by which it is found. */
    public static String host(String hostId) {
        return HOSTS + hostId + "/";
    }

    /** Returns the key of a host's owner record. */
    public static String owner(String hostId) {
        return HOSTS + hostId + "/host";
    }

    /** Returns the prefix of a host's commits. */
    public static String log(String hostId) {
        return HOSTS + hostId + "/log/";
    }

    /** Returns the key of a commit. */
    public static String commit(String hostId, long seq) {
        return log(hostId) + digits(seq) + ZSTD_SUFFIX;
    }

    /** Returns the key of a repair's note that commits are lost: those behind one, up to another. */
    public static String lost(String hostId, CommitSpan span) {
        return QUARANTINE + log(hostId) + digits(span.from()) + "-" + digits(span.to());
    }

    /** Returns the commits in such a key; null when the key is something else. */
    public static @Nullable CommitSpan lostOf(String key) {
        CommitSpan span = numbers(key.substring(key.lastIndexOf('/') + 1));
        return span == null || span.to() <= span.from() ? null : span;
    }

    /** Returns the prefix of what a repair set aside of a host, and of its notes. */
    public static String quarantine(String hostId) {
        return QUARANTINE + host(hostId);
    }

    /** Returns the commits that are lost by a key that a repair put or moved; null when the key says none. */
    public static @Nullable CommitSpan goneOf(String key) {
        CommitSpan named = lostOf(key);
        String name = key.substring(key.lastIndexOf('/') + 1);
        long seq = name.length() < SEQ_DIGITS ? 0 : number(name.substring(0, SEQ_DIGITS));
        return named != null ? named : seq <= 0 ? null : new CommitSpan(seq - 1, seq);
    }

    /** Returns the key of a repair's note that the histories of commits are lost: those behind one, up to another. */
    public static String lostMoments(String hostId, CommitSpan span) {
        return QUARANTINE + history(hostId) + digits(span.from()) + "-" + digits(span.to());
    }

    /** Returns the commits that such a key begins with, or that of a history; null when the key is something else. */
    public static @Nullable CommitSpan momentsOf(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        CommitSpan span = name.length() < SPAN_DIGITS ? null : numbers(name.substring(0, SPAN_DIGITS));
        return span == null || span.to() <= span.from() ? null : span;
    }

    /** Returns the prefix of a host's checkpoints. */
    public static String checkpoints(String hostId) {
        return HOSTS + hostId + "/checkpoints/";
    }

    /** Returns the key of the checkpoint of the state after a commit. */
    public static String checkpoint(String hostId, long seq) {
        return checkpoints(hostId) + digits(seq) + ZSTD_SUFFIX;
    }

    /** Returns the key of a checkpoint. */
    public static String checkpoint(String hostId, CheckpointId id) {
        String revision = id.revision() == 0 ? "" : "-" + digits(id.revision());
        return checkpoints(hostId) + digits(id.seq()) + revision + ZSTD_SUFFIX;
    }

    /** Returns the prefix of the marks of a host's checkpoints. */
    public static String marks(String hostId) {
        return COMPACTED + hostId + "/";
    }

    /** Returns the key of the empty object that says that compaction or repair made a checkpoint. */
    public static String mark(String hostId, CheckpointId id) {
        return marks(hostId) + digits(id.seq()) + "-" + digits(id.revision());
    }

    /** Returns which checkpoint a mark is of; null when the key is something else. */
    public static @Nullable CheckpointId markOf(String key) {
        CommitSpan numbers = numbers(key.substring(key.lastIndexOf('/') + 1));
        return numbers == null || numbers.from() == 0 ? null : new CheckpointId(numbers.from(), numbers.to());
    }

    /** Returns the key of the manifest of a checkpoint: a signature over all that it stands on. */
    public static String manifest(String hostId, CheckpointId id) {
        return mark(hostId, id) + MANIFEST;
    }

    /** Returns which checkpoint a manifest is of; null when the key is something else. */
    public static @Nullable CheckpointId manifestOf(String key) {
        return key.endsWith(MANIFEST) ? markOf(key.substring(0, key.length() - MANIFEST.length())) : null;
    }

    /** Returns the prefix of a host's filters. */
    public static String filters(String hostId) {
        return HOSTS + hostId + "/filters/";
    }

    /** Returns the key of a filter of what lay in some commits. */
    public static String filter(String hostId, CommitSpan span) {
        return filters(hostId) + digits(span.from()) + "-" + digits(span.to());
    }

    /** Returns the commits in the key of a filter; null when the key is something else. */
    public static @Nullable CommitSpan filterOf(String key) {
        CommitSpan span = numbers(key.substring(key.lastIndexOf('/') + 1));
        return span == null || span.to() <= span.from() ? null : span;
    }

    /** Returns which checkpoint a key names; null when it names something else. */
    public static @Nullable CheckpointId checkpointOf(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        if (!name.endsWith(ZSTD_SUFFIX)) {
            return null;
        }
        String numbers = name.substring(0, name.length() - ZSTD_SUFFIX.length());
        boolean revised = numbers.length() == 2 * SEQ_DIGITS + 1 && numbers.charAt(SEQ_DIGITS) == '-';
        if (!revised && numbers.length() != SEQ_DIGITS) {
            return null;
        }
        long seq = number(numbers.substring(0, SEQ_DIGITS));
        long revision = revised ? number(numbers.substring(SEQ_DIGITS + 1)) : 0;
        return seq <= 0 || revision < 0 || (revised && revision == 0) ? null : new CheckpointId(seq, revision);
    }

    /** Returns the prefix of a host's heartbeats; the newest is the first below it. */
    public static String heartbeats(String hostId) {
        return HOSTS + hostId + "/alive/";
    }

    /**
     * Returns the key of a heartbeat. Numbers are written as what they lack to the greatest, and a hundred of them lie
     * in a directory, so that finding the first stays cheap.
     *
     * @param opened seq of the commit that opened the incarnation that speaks
     * @param number counts its heartbeats, from 1
     */
    public static String heartbeat(String hostId, long opened, long number) {
        return heartbeats(hostId) + digits(MAX_NUMBER - opened) + "-" + digits(MAX_NUMBER - number / 100) + "/"
                + digits(MAX_NUMBER - number);
    }

    /**
     * Returns the prefix of the heartbeats of a host's shippers that another keeps from shipping. It comes before all
     * other heartbeats, so that a reader that asks for the newest sees that there are any.
     */
    public static String fenced(String hostId) {
        return heartbeats(hostId) + FENCED;
    }

    /**
     * Returns the key of the last word of a shipper that was fenced.
     *
     * @param opened seq of the commit that opened its incarnation
     * @param self 16 hexadecimal digits that tell it from others
     */
    public static String fenced(String hostId, long opened, String self) {
        return fenced(hostId) + digits(MAX_NUMBER - opened) + "-" + self;
    }

    /** Returns the key of the word of a shipper that did not start because another lives. */
    public static String refused(String hostId, String self) {
        return fenced(hostId, MAX_NUMBER, self);
    }

    /** Returns the key of the empty object that says that the shipper of such a word ships again. */
    public static String toBegunAgain(String wordKey) {
        return wordKey + BEGUN_AGAIN;
    }

    /** Returns the key of the word that such an object makes void; null when a key is another one. */
    public static @Nullable String begunAgain(String key) {
        return key.endsWith(BEGUN_AGAIN) ? key.substring(0, key.length() - BEGUN_AGAIN.length()) : null;
    }

    /** Returns the prefix of a host's heartbeats but the last words of the fenced. */
    public static String livingHeartbeats(String hostId) {
        return heartbeats(hostId) + "9"; // what a number lacks to the greatest, as long as there are commits to make
    }

    /** Returns the key under which it is said that somebody has seen what an object of a host says. */
    public static String acknowledgement(String key) {
        return ACKNOWLEDGED + key.substring(HOSTS.length());
    }

    /** Returns the prefix of what shortens the way from a host's checkpoints to later states. */
    public static String tables(String hostId) {
        return HOSTS + hostId + "/tables/";
    }

    /** Returns the prefix of what begins at a checkpoint; {@link CheckpointId#BEGINNING} for no checkpoint. */
    public static String tables(String hostId, CheckpointId base) {
        return tables(hostId) + digits(base.seq()) + "-" + digits(base.revision()) + "/";
    }

    /** Returns the prefix of the tables of one section that begin at a checkpoint; the newest is the first below it. */
    public static String tables(String hostId, CheckpointId base, TableSection section) {
        return tables(hostId, base) + section.folder() + "/";
    }

    /** Returns the key of a table of a span; of those that end together the longest comes first in a list. */
    public static String table(String hostId, CheckpointId base, TableSection section, CommitSpan span) {
        return tables(hostId, base, section) + digits(MAX_NUMBER - span.to()) + "-" + digits(span.from()) + ZSTD_SUFFIX;
    }

    /** Returns the checkpoint in the key of a table; null when the key is something else. */
    public static @Nullable CheckpointId baseOf(String key) {
        String[] parts = key.split("/");
        CommitSpan numbers = sectionOf(key) == null ? null : numbers(parts[parts.length - 3]);
        return numbers == null ? null : new CheckpointId(numbers.from(), numbers.to());
    }

    /** Returns the section in the key of a table; null when the key is something else. */
    public static @Nullable TableSection sectionOf(String key) {
        String[] parts = key.split("/");
        for (TableSection section : TableSection.values()) {
            if (parts.length > 3
                    && parts[parts.length - 4].equals("tables")
                    && parts[parts.length - 2].equals(section.folder())) {
                return section;
            }
        }
        return null;
    }

    /** Returns the commits in the key of a table; null when the key is something else. */
    public static @Nullable CommitSpan tableOf(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        boolean isTable = sectionOf(key) != null && name.endsWith(ZSTD_SUFFIX);
        CommitSpan numbers = isTable ? numbers(name.substring(0, name.length() - ZSTD_SUFFIX.length())) : null;
        long to = numbers == null ? 0 : MAX_NUMBER - numbers.from();
        return numbers == null || to <= numbers.to() ? null : new CommitSpan(numbers.to(), to);
    }

    /** Returns the prefix of what compaction keeps of earlier states. */
    public static String history(String hostId) {
        return HOSTS + hostId + "/history/";
    }

    /**
     * Returns the key of what was so after each of some commits.
     *
     * @param earliestMs the earliest time in it, milliseconds since 1970
     */
    public static String history(String hostId, CommitSpan span, long earliestMs) {
        return history(hostId) + digits(span.from()) + "-" + digits(span.to()) + "-" + hex(earliestMs) + ZSTD_SUFFIX;
    }

    /** Returns the key of the empty object that says that compaction made a history of many. */
    public static String historyMark(String historyKey) {
        String name = historyKey.substring(historyKey.lastIndexOf('/') + 1);
        String hostId = historyKey.substring(HOSTS.length(), HOSTS.length() + ID_DIGITS);
        return marks(hostId) + name.substring(0, name.length() - ZSTD_SUFFIX.length());
    }

    /** Returns the commits in the key of a history; null when the key is something else. */
    public static @Nullable CommitSpan historyOf(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        boolean whole = name.length() == HISTORY_NAME && name.endsWith(ZSTD_SUFFIX);
        if (!whole || name.charAt(SPAN_DIGITS) != '-' || !isHostId(name.substring(SPAN_DIGITS + 1, HISTORY_NAME - 4))) {
            return null;
        }
        CommitSpan span = numbers(name.substring(0, SPAN_DIGITS));
        return span == null || span.to() <= span.from() ? null : span;
    }

    /** Returns the earliest time in the key of a history, milliseconds since 1970. */
    public static long earliestOf(String historyKey) {
        int end = historyKey.length() - ZSTD_SUFFIX.length();
        return Long.parseUnsignedLong(historyKey.substring(end - ID_DIGITS, end), 16);
    }

    /** Returns two numbers of digits with a hyphen between, or null. */
    private static @Nullable CommitSpan numbers(String text) {
        if (text.length() != SPAN_DIGITS || text.charAt(SEQ_DIGITS) != '-') {
            return null;
        }
        long from = number(text.substring(0, SEQ_DIGITS));
        long to = number(text.substring(SEQ_DIGITS + 1));
        return from < 0 || to < 0 ? null : new CommitSpan(from, to);
    }

    /** Returns what an object of this key holds. */
    public static ObjectKind kindOf(String key) {
        int part = HOSTS.length() + ID_DIGITS + 1;
        int end = key.startsWith(HOSTS) ? key.indexOf('/', part) : -1;
        return switch (end < 0 ? "" : key.substring(part, end)) {
            case "log" -> ObjectKind.COMMIT;
            case "checkpoints", "tables", "history" -> ObjectKind.RECORDS;
            case "streams", "filters" -> ObjectKind.BYTES;
            default -> ObjectKind.OPEN;
        };
    }

    /** Says whether a key is that of a data object: its bytes are read by those who want the content of files alone. */
    public static boolean isData(String key) {
        int part = HOSTS.length() + ID_DIGITS + 1;
        return key.startsWith(HOSTS) && key.startsWith("streams/", part);
    }

    /** Returns the prefix of a host's data objects. */
    public static String streams(String hostId) {
        return HOSTS + hostId + "/streams/";
    }

    /**
     * Returns the key of a data object.
     *
     * @param versionId the version whose bytes it holds
     * @param start first position
     * @param end position after the last byte
     * @param unique distinguishes objects of the same range
     */
    public static String object(String hostId, long versionId, long start, long end, long unique, Codec codec) {
        return streams(hostId, versionId) + digits(start) + "-" + digits(end) + "-" + hex(unique) + codec.suffix();
    }

    /** Returns the key of the data object that a run refers to. */
    public static String object(String hostId, LogRecord.ObjectRun run) {
        return object(hostId, run.versionId(), run.start(), run.end(), run.unique(), run.codec());
    }

    /**
     * Returns the key of a pack: a data object that is of no version, but holds pieces of many.
     *
     * @param length bytes of its content
     * @param unique distinguishes packs
     */
    public static String pack(String hostId, long length, long unique) {
        return object(hostId, 0, 0, length, unique, Codec.ZSTD);
    }

    /** Returns how many bytes the content of a data object has, by its key; -1 when the key is something else. */
    public static long contentBytes(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        CommitSpan range = name.length() > SPAN_DIGITS && name.charAt(SPAN_DIGITS) == '-'
                ? numbers(name.substring(0, SPAN_DIGITS))
                : null;
        return range == null || !key.contains("/streams/") ? -1 : range.to() - range.from();
    }

    /** Returns the prefix of a version's data objects. */
    public static String streams(String hostId, long versionId) {
        return streams(hostId) + hex(versionId) + "/";
    }

    /** Returns the seq in the key of a commit or checkpoint; empty when the key is something else. */
    public static OptionalLong seqOf(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        if (name.length() != SEQ_DIGITS + ZSTD_SUFFIX.length() || !name.endsWith(ZSTD_SUFFIX)) {
            return OptionalLong.empty();
        }
        long seq = number(name.substring(0, SEQ_DIGITS));
        return seq < 0 ? OptionalLong.empty() : OptionalLong.of(seq);
    }

    /**
     * Returns the greatest commit that a key of a host names: a writer that put the object had seen that commit in the
     * archive. 0 when it names none.
     */
    public static long namedCommit(String key) {
        String[] parts = key.split("/", 4);
        if (parts.length < 4 || !key.startsWith(HOSTS)) {
            return 0;
        }
        return switch (parts[2]) {
            case "log" -> seqOf(key).orElse(0);
            case "checkpoints" -> seqOf(checkpointOf(key));
            case "tables" -> Math.max(seqOf(baseOf(key)), endOf(tableOf(key)));
            case "history" -> endOf(historyOf(key));
            case "filters" -> endOf(filterOf(key));
            case "alive" -> openedOf(parts[3]);
            default -> 0;
        };
    }

    private static long seqOf(@Nullable CheckpointId id) {
        return id == null ? 0 : id.seq();
    }

    private static long endOf(@Nullable CommitSpan span) {
        return span == null ? 0 : span.to();
    }

    /** Returns the commit that opened the incarnation of a heartbeat; 0 when it is something else. */
    private static long openedOf(String name) {
        CommitSpan numbers = name.indexOf('/') == SPAN_DIGITS ? numbers(name.substring(0, SPAN_DIGITS)) : null;
        return numbers == null ? 0 : MAX_NUMBER - numbers.from();
    }

    /** Returns a number of digits only, or -1. */
    private static long number(String digits) {
        return digits.chars().allMatch(c -> c >= '0' && c <= '9') ? Long.parseLong(digits) : -1;
    }

    /** Returns a version or stream id as it is written everywhere: 16 hexadecimal digits. */
    public static String hex(long id) {
        String digits = Long.toHexString(id);
        return "0".repeat(ID_DIGITS - digits.length()) + digits;
    }

    /** Says whether a name is a host id: 16 lower-case hexadecimal digits. */
    public static boolean isHostId(String name) {
        return name.length() == ID_DIGITS
                && name.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }

    private static String digits(long number) {
        String digits = Long.toString(number);
        return "0".repeat(Math.max(0, SEQ_DIGITS - digits.length())) + digits;
    }
}
