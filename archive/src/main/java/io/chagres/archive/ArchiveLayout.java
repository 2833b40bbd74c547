package io.chagres.archive;

import java.util.OptionalLong;

/** Knows the keys of every object of an archive; nothing else does. Stateless, safe for any thread. */
public final class ArchiveLayout {
    /** Key of the object that says which format the archive has. */
    public static final String DESCRIPTION = "chagres.json";

    /** Prefix below which every host has its id. */
    public static final String HOSTS = "hosts/";

    private static final int SEQ_DIGITS = 16;
    private static final int ID_DIGITS = 16;
    private static final String ZSTD_SUFFIX = ".zst";

    private ArchiveLayout() {}

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

    /** Returns the prefix of a host's checkpoints. */
    public static String checkpoints(String hostId) {
        return HOSTS + hostId + "/checkpoints/";
    }

    /** Returns the key of the checkpoint of the state after a commit. */
    public static String checkpoint(String hostId, long seq) {
        return checkpoints(hostId) + digits(seq) + ZSTD_SUFFIX;
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
     * @param unique what tells apart objects of the same range
     */
    public static String object(String hostId, long versionId, long start, long end, long unique, Codec codec) {
        return streams(hostId, versionId) + digits(start) + "-" + digits(end) + "-" + hex(unique)
                + (codec == Codec.ZSTD ? ZSTD_SUFFIX : "");
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
        long seq = 0;
        for (int i = 0; i < SEQ_DIGITS; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return OptionalLong.empty();
            }
            seq = seq * 10 + digit;
        }
        return OptionalLong.of(seq);
    }

    /** Returns a version or stream id as it is written everywhere: 16 hexadecimal digits. */
    public static String hex(long id) {
        String digits = Long.toHexString(id);
        return "0".repeat(ID_DIGITS - digits.length()) + digits;
    }

    /** Says whether a name is a host id: 16 lower-case hexadecimal digits. */
    public static boolean isHostId(String name) {
        return name.length() == ID_DIGITS && name.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f');
    }

    private static String digits(long number) {
        String digits = Long.toString(number);
        return "0".repeat(Math.max(0, SEQ_DIGITS - digits.length())) + digits;
    }
}
