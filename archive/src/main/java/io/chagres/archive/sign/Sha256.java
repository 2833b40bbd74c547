package io.chagres.archive.sign;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Takes the digest of bytes wherever they are: SHA-256, for which processors have instructions (0.7 CPU s/GB where
 * SHA-512 takes 1.8). Confined to one thread.
 */
public final class Sha256 {
    /** Bytes of a digest. */
    public static final int BYTES = 32;

    private static final int PART_BYTES = 64 << 10;

    private final MessageDigest digest;
    private byte[] part = {};

    /** Begins with nothing. */
    public Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the digest of some bytes. */
    public static byte[] of(MemorySegment bytes) {
        Sha256 whole = new Sha256();
        whole.update(bytes, 0, bytes.byteSize());
        return whole.digest();
    }

    /** Continues with bytes. */
    public void update(MemorySegment source, long offset, long length) {
        if (part.length == 0) {
            part = new byte[PART_BYTES];
        }
        for (long done = 0; done < length; ) {
            int bytes = (int) Math.min(PART_BYTES, length - done);
            MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset + done, part, 0, bytes);
            digest.update(part, 0, bytes);
            done += bytes;
        }
    }

    /** Returns the digest of all that came, and begins again. */
    public byte[] digest() {
        return digest.digest();
    }
}
