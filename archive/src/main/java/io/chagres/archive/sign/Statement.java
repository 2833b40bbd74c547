package io.chagres.archive.sign;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A statement that is signed: a commit of a host, or what stands for a checkpoint of it, has a digest. The message is
 * its text, in ASCII: {@code chagres 1 commit HOST SEQ DIGEST} or {@code chagres 1 checkpoint HOST SEQ-REVISION
 * DIGEST}, so that a signature says nothing of another kind, host or number. Immutable; the array is not copied.
 *
 * @param hostId the host, 16 hexadecimal digits
 * @param seq the commit
 * @param revision of the checkpoint; -1 of a commit
 * @param digest SHA-256 of the commit up to the key in its seal, or of the lines of a manifest, 32 bytes
 */
public record Statement(String hostId, long seq, long revision, byte[] digest) {
    static final String NO_LINE = "it is no line that 'chagres head' prints";

    private static final int COMMIT = -1;
    private static final String BEGIN = "chagres 1 ";
    private static final String OF_COMMIT = "commit";
    private static final String OF_CHECKPOINT = "checkpoint";

    /** Says that a commit has a digest. */
    public Statement(String hostId, long seq, byte[] digest) {
        this(hostId, seq, COMMIT, digest);
    }

    /** Says that the lines that stand for a checkpoint have a digest. */
    public static Statement ofCheckpoint(String hostId, CheckpointId id, byte[] digest) {
        return new Statement(hostId, id.seq(), id.revision(), digest);
    }

    /** Says whether it is of a commit, and not of a checkpoint. */
    public boolean isOfCommit() {
        return revision == COMMIT;
    }

    byte[] message() {
        return toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Takes the first six words of a line. */
    static Statement parse(String[] words) {
        boolean isCommit = words[2].equals(OF_COMMIT);
        String[] numbers = words[4].split("-", -1);
        boolean isOne = (words[0] + " " + words[1] + " ").equals(BEGIN)
                && (isCommit || words[2].equals(OF_CHECKPOINT))
                && numbers.length == (isCommit ? 1 : 2)
                && ArchiveLayout.isHostId(words[3]);
        if (!isOne) {
            throw new IllegalArgumentException(NO_LINE);
        }
        Statement read = new Statement(
                words[3],
                Long.parseLong(numbers[0]),
                isCommit ? COMMIT : Long.parseLong(numbers[1]),
                HexFormat.of().parseHex(words[5]));
        if (read.digest.length != Sha256.BYTES || read.seq < 1 || read.revision < (isCommit ? COMMIT : 0)) {
            throw new IllegalArgumentException(NO_LINE);
        }
        return read;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Statement that
                && hostId.equals(that.hostId)
                && seq == that.seq
                && revision == that.revision
                && Arrays.equals(digest, that.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    /** Returns its text. */
    @Override
    public String toString() {
        String of = isOfCommit()
                ? OF_COMMIT + " " + hostId + " " + seq
                : OF_CHECKPOINT + " " + hostId + " " + seq + "-" + revision;
        return BEGIN + of + " " + HexFormat.of().formatHex(digest);
    }
}
