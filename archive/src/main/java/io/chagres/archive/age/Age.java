package io.chagres.archive.age;

import java.util.Arrays;
import java.util.List;

/** Encrypts and decrypts what is in memory. Stateless, safe for any thread. */
public final class Age {
    private Age() {}

    /** Returns the whole file of some content. */
    public static byte[] encrypt(List<AgeRecipient> recipients, byte[] content) {
        AgeFile file = AgeFile.to(recipients);
        byte[] out = Arrays.copyOf(file.start(), Math.toIntExact(file.fileBytes(content.length)));
        AgeFile.Chunks chunks = file.chunks();
        int at = file.startBytes();
        int from = 0;
        for (long chunk = 0; at < out.length; chunk++) {
            int length = Math.min(AgeFile.CHUNK_BYTES, content.length - from);
            byte[] part = Arrays.copyOfRange(content, from, from + length);
            from += length;
            at += chunks.seal(chunk, from == content.length, part, length, out, at);
        }
        return out;
    }

    /** Returns the content of a whole file. */
    public static byte[] decrypt(List<AgeIdentity> identities, byte[] bytes) throws AgeException {
        AgeFile file = AgeFile.open(bytes, bytes.length, identities);
        byte[] out = new byte[Math.toIntExact(file.contentBytes(bytes.length))];
        byte[] part = new byte[AgeFile.CHUNK_BYTES];
        AgeFile.Chunks chunks = file.chunks();
        int at = file.startBytes();
        int done = 0;
        for (long chunk = 0; at < bytes.length; chunk++) {
            int length = Math.min(AgeFile.SEALED_BYTES, bytes.length - at);
            int got = chunks.open(chunk, at + length == bytes.length, bytes, at, length, part);
            System.arraycopy(part, 0, out, done, got);
            at += length;
            done += got;
        }
        return out;
    }
}
