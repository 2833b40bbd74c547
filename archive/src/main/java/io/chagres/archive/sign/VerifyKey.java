package io.chagres.archive.sign;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;

/** The public half of an Ed25519 key: whose signature it is. Its text is {@code ed25519:} and base 64. Immutable. */
public final class VerifyKey {
    static final int BYTES = 32;
    static final int SIGNATURE_BYTES = 64;

    /** The prefix of an X.509 encoded key (RFC 8410). */
    private static final byte[] ENCODING = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    private static final String PREFIX = "ed25519:";

    private final byte[] bytes;

    VerifyKey(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a key has 32 bytes, this one " + bytes.length);
        }
        this.bytes = bytes.clone();
    }

    /** Returns the key of its JDK counterpart. */
    static VerifyKey of(PublicKey key) {
        return new VerifyKey(Arrays.copyOfRange(key.getEncoded(), ENCODING.length, ENCODING.length + BYTES));
    }

    /**
     * Takes the text of a key.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static VerifyKey parse(String text) {
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException("a key begins with " + PREFIX);
        }
        return new VerifyKey(Base64.getDecoder().decode(text.substring(PREFIX.length())));
    }

    /** Returns its bytes. */
    byte[] bytes() {
        return bytes.clone();
    }

    /** Says whether somebody who has the secret half signed a message; no signature is an exception. */
    boolean verifies(byte[] message, byte[] signature) {
        try {
            byte[] encoded = Arrays.copyOf(ENCODING, ENCODING.length + BYTES);
            System.arraycopy(bytes, 0, encoded, ENCODING.length, BYTES);
            Signature check = Signature.getInstance("Ed25519");
            check.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            check.update(message);
            return check.verify(signature);
        } catch (SignatureException e) {
            return false;
        } catch (GeneralSecurityException e) {
            return false; // the bytes are no point of the curve
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifyKey key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns its text. */
    @Override
    public String toString() {
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }
}
