package io.chagres.archive.age;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A secret key that opens files, {@code AGE-SECRET-KEY-1...}, as {@code age-keygen} makes it. Immutable. */
public final class AgeIdentity {
    private static final String PREFIX = "age-secret-key-";

    private final byte[] secret;
    private final AgeRecipient recipient;

    private AgeIdentity(byte[] secret) {
        this.secret = secret;
        recipient = new AgeRecipient(X25519.point(secret));
    }

    /** Makes a new one. */
    public static AgeIdentity generate() {
        return new AgeIdentity(X25519.secret());
    }

    /**
     * Takes the text of an identity.
     *
     * @throws IllegalArgumentException when it is none; the message does not repeat it
     */
    public static AgeIdentity parse(String text) {
        byte[] secret = Bech32.decode(PREFIX, text);
        if (secret.length != X25519.BYTES) {
            throw new IllegalArgumentException("a key has 32 bytes, this one " + secret.length);
        }
        return new AgeIdentity(secret);
    }

    /**
     * Takes the lines of a file of identities, one a line; empty ones and those that begin with {@code #} mean nothing.
     *
     * @param file its name, for messages
     */
    public static List<AgeIdentity> read(String file, List<String> lines) throws IOException {
        return KeyLines.read(file, lines, AgeIdentity::parse, "it holds no identity (AGE-SECRET-KEY-1...)");
    }

    /** Returns the recipient that it opens files of. */
    public AgeRecipient recipient() {
        return recipient;
    }

    /** Returns its secret text, for the file it is kept in and nothing else. */
    public String secretText() {
        return Bech32.encode(PREFIX, secret).toUpperCase(Locale.ROOT);
    }

    /** Returns what it has in common with a point; null when the point is of small order. */
    byte @Nullable [] shared(byte[] point) {
        return X25519.multiply(secret, point);
    }
}
