package io.chagres.archive.age;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import javax.crypto.KeyAgreement;
import org.jspecify.annotations.Nullable;

/** The function X25519 of RFC 7748 on bytes. Stateless. */
final class X25519 {
    static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final byte[] BASE = new byte[BYTES];

    static {
        BASE[0] = 9;
    }

    private X25519() {}

    /** Returns a new secret. */
    static byte[] secret() {
        byte[] secret = new byte[BYTES];
        RANDOM.nextBytes(secret);
        return secret;
    }

    /** Returns the public point of a secret. */
    static byte[] point(byte[] secret) {
        byte[] point = multiply(secret, BASE);
        if (point == null) {
            throw new IllegalStateException("the base point is of no small order");
        }
        return point;
    }

    /** Returns what a secret and a point have in common; null when the point is of small order. */
    static byte @Nullable [] multiply(byte[] secret, byte[] point) {
        try {
            KeyFactory keys = KeyFactory.getInstance("X25519");
            PrivateKey own = keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, secret));
            byte[] bigEndian = new byte[BYTES];
            for (int i = 0; i < BYTES; i++) {
                bigEndian[i] = point[BYTES - 1 - i];
            }
            bigEndian[0] &= 0x7f;
            KeyAgreement agreement = KeyAgreement.getInstance("X25519");
            agreement.init(own);
            agreement.doPhase(
                    keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, new BigInteger(1, bigEndian))),
                    true);
            return agreement.generateSecret();
        } catch (InvalidKeyException e) {
            return null;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has X25519", e);
        }
    }
}
