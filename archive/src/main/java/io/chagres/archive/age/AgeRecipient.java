package io.chagres.archive.age;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Whom a file is encrypted to: a public key, {@code age1...}. Immutable. */
public final class AgeRecipient {
    private static final String PREFIX = "age";

    private final byte[] point;
    private final String text;

    AgeRecipient(byte[] point) {
        this.point = point;
        text = Bech32.encode(PREFIX, point);
    }

    /**
     * Takes the text of a recipient.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static AgeRecipient parse(String text) {
        byte[] point = Bech32.decode(PREFIX, text);
        if (point.length != X25519.BYTES) {
            throw new IllegalArgumentException("a key has 32 bytes, this one " + point.length);
        }
        return new AgeRecipient(point);
    }

    /**
     * Takes the texts of recipients with a space between; nobody for an empty text.
     *
     * @throws IllegalArgumentException when one is none
     */
    public static List<AgeRecipient> list(String texts) {
        return texts.isEmpty()
                ? List.of()
                : Stream.of(texts.split(" ", -1)).map(AgeRecipient::parse).toList();
    }

    /**
     * Takes the lines of a file of recipients, one a line; empty ones and those that begin with {@code #} mean nothing.
     *
     * @param file its name, for messages
     */
    public static List<AgeRecipient> read(String file, List<String> lines) throws IOException {
        return KeyLines.read(file, lines, AgeRecipient::parse, "it names no recipient");
    }

    byte[] point() {
        return point;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AgeRecipient recipient && text.equals(recipient.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns its text, {@code age1...}. */
    @Override
    public String toString() {
        return text;
    }
}
