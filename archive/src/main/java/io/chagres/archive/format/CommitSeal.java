package io.chagres.archive.format;

import io.chagres.archive.sign.HostSigner;
import io.chagres.archive.sign.Sha256;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Statement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The seal of a signed commit: the digest of its data area as it is stored, and a signature over all before it.
 * Immutable; arrays are not copied.
 *
 * <pre>
 *  0 32 B SHA-256 of the data area
 * 32 32 B public key
 * 64 64 B signature of: chagres 1 commit HOST SEQ, SHA-256 of the payload up to offset 32
 * </pre>
 *
 * @param dataDigest of the data area
 * @param digest of the payload up to the key: what is signed
 */
public record CommitSeal(byte[] dataDigest, byte[] digest, MemorySegment signed) {
    /** Bytes of a seal. */
    public static final int BYTES = Sha256.BYTES + SignedStatement.ENCODED_BYTES;

    /** Takes the seal that begins at an offset of a commit's payload. */
    static CommitSeal decode(MemorySegment payload, long offset) {
        long end = offset + Sha256.BYTES;
        MemorySegment signed = MemorySegment.ofArray(
                payload.asSlice(end, SignedStatement.ENCODED_BYTES).toArray(ValueLayout.JAVA_BYTE));
        return new CommitSeal(
                payload.asSlice(offset, Sha256.BYTES).toArray(ValueLayout.JAVA_BYTE),
                Sha256.of(payload.asSlice(0, end)),
                signed);
    }

    /**
     * Signs the payload of a commit that is written except for the seal.
     *
     * @param offset where the seal begins
     * @param data the data area as it is stored
     */
    public static void write(MemorySegment payload, long offset, MemorySegment data, HostSigner signer, long seq) {
        long end = offset + Sha256.BYTES;
        MemorySegment.copy(Sha256.of(data), 0, payload, ValueLayout.JAVA_BYTE, offset, Sha256.BYTES);
        signer.sign(seq, Sha256.of(payload.asSlice(0, end))).encode(payload, end);
    }

    /** Returns what was signed, and by whom; nobody checked it yet. */
    public SignedStatement statement(String hostId, long seq) {
        return SignedStatement.decode(new Statement(hostId, seq, digest), signed, 0);
    }
}
