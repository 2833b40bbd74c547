package io.chagres.archive.age;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The keys of one file and how they follow from each other. Stateless. */
final class AgeKeys {
    static final int FILE_KEY_BYTES = 16;
    static final int TAG_BYTES = 16;
    private static final String CIPHER = "ChaCha20-Poly1305";
    private static final byte[] X25519_INFO = "age-encryption.org/v1/X25519".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HEADER_INFO = "header".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PAYLOAD_INFO = "payload".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_SALT = {};

    private AgeKeys() {}

    /** Returns the MAC of a header up to and with its {@code ---}. */
    static byte[] headerMac(byte[] fileKey, byte[] header, int length) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(derive(fileKey, NO_SALT, HEADER_INFO), "HmacSHA256"));
            mac.update(header, 0, length);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the key of the chunks behind a nonce. */
    static SecretKeySpec payload(byte[] fileKey, byte[] nonce) {
        return new SecretKeySpec(derive(fileKey, nonce, PAYLOAD_INFO), "ChaCha20");
    }

    /** Encrypts a file key to what a sender and a recipient have in common. */
    static byte[] wrap(byte[] fileKey, byte[] shared, byte[] share, AgeRecipient recipient) {
        try {
            return wrapping(Cipher.ENCRYPT_MODE, shared, share, recipient).doFinal(fileKey);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Decrypts a file key; null when it is for somebody else. */
    static byte @Nullable [] unwrap(byte[] wrapped, byte[] shared, byte[] share, AgeRecipient recipient) {
        try {
            return wrapping(Cipher.DECRYPT_MODE, shared, share, recipient).doFinal(wrapped);
        } catch (AEADBadTagException e) {
            return null;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Cipher wrapping(int mode, byte[] shared, byte[] share, AgeRecipient recipient)
            throws GeneralSecurityException {
        byte[] salt = Arrays.copyOf(share, 2 * X25519.BYTES);
        System.arraycopy(recipient.point(), 0, salt, X25519.BYTES, X25519.BYTES);
        Cipher cipher = cipher();
        init(cipher, mode, new SecretKeySpec(derive(shared, salt, X25519_INFO), "ChaCha20"), new byte[12]);
        return cipher;
    }

    static Cipher cipher() {
        try {
            return Cipher.getInstance(CIPHER);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + CIPHER, e);
        }
    }

    static void init(Cipher cipher, int mode, SecretKeySpec key, byte[] nonce) throws InvalidKeyException {
        try {
            AlgorithmParameterSpec iv = new IvParameterSpec(nonce);
            cipher.init(mode, key, iv);
        } catch (java.security.InvalidAlgorithmParameterException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] derive(byte[] input, byte[] salt, byte[] info) {
        try {
            HKDFParameterSpec.Builder extract = HKDFParameterSpec.ofExtract().addIKM(input);
            if (salt.length > 0) {
                extract.addSalt(salt);
            }
            return KDF.getInstance("HKDF-SHA256").deriveData(extract.thenExpand(info, 32));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK from 25 on has HKDF", e);
        }
    }
}
