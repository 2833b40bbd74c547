package io.chagres.archive.sign;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The secret half of an Ed25519 key. Its text is what OpenSSL writes and reads: {@code openssl genpkey -algorithm
 * ed25519} makes one. Immutable, safe for any thread.
 */
public final class SigningKey {
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";

    /** The bytes of a PKCS #8 encoded key before its secret (RFC 8410). */
    private static final byte[] ENCODING = {
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20
    };

    private static final int SECRET_BYTES = 32;

    private final byte[] encoded;
    private final PrivateKey secret;
    private final VerifyKey publicKey;

    private SigningKey(byte[] seed) {
        encoded = Arrays.copyOf(ENCODING, ENCODING.length + SECRET_BYTES);
        System.arraycopy(seed, 0, encoded, ENCODING.length, SECRET_BYTES);
        try {
            secret = KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded));
            KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
            generator.initialize(NamedParameterSpec.ED25519, new Drawn(seed));
            publicKey = VerifyKey.of(generator.generateKeyPair().getPublic());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    /** The JDK tells the public half of a key only when it makes one: this lets it make the one there is. */
    private static final class Drawn extends SecureRandom {
        private static final long serialVersionUID = 1;
        private final byte[] seed;

        Drawn(byte[] seed) {
            this.seed = seed;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            System.arraycopy(seed, 0, bytes, 0, bytes.length);
        }
    }

    /** Makes a new one. */
    public static SigningKey generate() {
        byte[] seed = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(seed);
        return new SigningKey(seed);
    }

    /**
     * Takes the text of a key.
     *
     * @throws IllegalArgumentException when it is none; the message does not repeat it
     */
    public static SigningKey parse(List<String> lines) {
        byte[] bytes = {};
        int begin = lines.indexOf(BEGIN);
        int end = lines.indexOf(END);
        if (begin >= 0 && end > begin) {
            String text =
                    lines.subList(begin + 1, end).stream().map(String::strip).collect(Collectors.joining());
            bytes = Base64.getDecoder().decode(text);
        }
        boolean whole = bytes.length == ENCODING.length + SECRET_BYTES
                && Arrays.equals(bytes, 0, ENCODING.length, ENCODING, 0, ENCODING.length);
        if (!whole) {
            throw new IllegalArgumentException("it holds no Ed25519 key as 'openssl genpkey -algorithm ed25519' makes");
        }
        return new SigningKey(Arrays.copyOfRange(bytes, ENCODING.length, bytes.length));
    }

    /** Returns its secret text, for the file it is kept in and nothing else. */
    public String secretText() {
        return BEGIN + "\n" + Base64.getEncoder().encodeToString(encoded) + "\n" + END;
    }

    /** Returns the public half. */
    public VerifyKey publicKey() {
        return publicKey;
    }

    /** Signs a statement. */
    public SignedStatement sign(Statement statement) {
        try {
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(secret);
            signer.update(statement.message());
            return new SignedStatement(statement, publicKey, signer.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
