package io.chagres.archive.sign;

import io.chagres.archive.age.KeyLines;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * A statement with the signature of somebody. As text one line: the statement, the key, and the signature in base 64.
 * Immutable; the array is not copied.
 *
 * @param key of whom it says that he signed; nobody checked that yet
 */
public record SignedStatement(Statement statement, VerifyKey key, byte[] signature) {
    /** Bytes of a key and a signature. */
    public static final int ENCODED_BYTES = VerifyKey.BYTES + VerifyKey.SIGNATURE_BYTES;

    private static final int WORDS = 8;

    /** Takes the key and the signature of a statement from an offset. */
    public static SignedStatement decode(Statement statement, MemorySegment source, long offset) {
        byte[] bytes = source.asSlice(offset, ENCODED_BYTES).toArray(ValueLayout.JAVA_BYTE);
        return new SignedStatement(
                statement,
                new VerifyKey(Arrays.copyOf(bytes, VerifyKey.BYTES)),
                Arrays.copyOfRange(bytes, VerifyKey.BYTES, bytes.length));
    }

    /** Writes the key and the signature at an offset. */
    public void encode(MemorySegment target, long offset) {
        MemorySegment.copy(key.bytes(), 0, target, ValueLayout.JAVA_BYTE, offset, VerifyKey.BYTES);
        MemorySegment.copy(
                signature, 0, target, ValueLayout.JAVA_BYTE, offset + VerifyKey.BYTES, VerifyKey.SIGNATURE_BYTES);
    }

    /**
     * Takes a line.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static SignedStatement parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != WORDS) {
            throw new IllegalArgumentException(Statement.NO_LINE);
        }
        return new SignedStatement(
                Statement.parse(words),
                VerifyKey.parse(words[6]),
                Base64.getDecoder().decode(words[7]));
    }

    /**
     * Takes the lines of a file; empty ones and those that begin with {@code #} mean nothing.
     *
     * @param file its name, for messages
     */
    public static List<SignedStatement> read(String file, List<String> lines) throws IOException {
        return KeyLines.read(file, lines, SignedStatement::parse, "it holds no line that 'chagres head' prints");
    }

    /** Says whether the owner of the key signed the statement. */
    public boolean isValid() {
        return key.verifies(statement.message(), signature);
    }

    /** Returns the line. */
    @Override
    public String toString() {
        return statement + " " + key + " " + Base64.getEncoder().encodeToString(signature);
    }
}
