package io.chagres.archive.age;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/** Encrypts and decrypts what is in memory. Stateless, safe for any thread. */
public final class Age {
    private Age() {}

    /**
     * Returns the whole file of some content.
     *
     * @param content of any memory, borrowed until return
     */
    public static byte[] encrypt(List<AgeRecipient> recipients, MemorySegment content) {
        AgeFile file = AgeFile.to(recipients);
        long length = content.byteSize();
        byte[] out = Arrays.copyOf(file.start(), Math.toIntExact(file.fileBytes(length)));
        byte[] part = new byte[(int) Math.min(AgeFile.CHUNK_BYTES, length)];
        AgeFile.Chunks chunks = file.chunks();
        int at = file.startBytes();
        int from = 0;
        for (long chunk = 0; at < out.length; chunk++) {
            int bytes = (int) Math.min(AgeFile.CHUNK_BYTES, length - from);
            MemorySegment.copy(content, ValueLayout.JAVA_BYTE, from, part, 0, bytes);
            from += bytes;
            at += chunks.seal(chunk, from == length, part, bytes, out, at);
        }
        return out;
    }

    /** Returns the content of a whole file. */
    public static byte[] decrypt(List<AgeIdentity> identities, byte[] bytes) throws AgeException {
        AgeFile file = AgeFile.open(bytes, bytes.length, identities);
        byte[] out = new byte[Math.toIntExact(file.contentBytes(bytes.length))];
        AgeFile.Chunks chunks = file.chunks();
        int at = file.startBytes();
        int done = 0;
        for (long chunk = 0; at < bytes.length; chunk++) {
            int length = Math.min(AgeFile.SEALED_BYTES, bytes.length - at);
            done += chunks.open(chunk, at + length == bytes.length, bytes, at, length, out, done);
            at += length;
        }
        return out;
    }
}
