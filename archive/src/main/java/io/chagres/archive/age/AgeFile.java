package io.chagres.archive.age;

import io.chagres.archive.age.AgeException.Fault;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys and places of one encrypted file: a header, a nonce, and chunks of 64 KiB that are encrypted each for
 * itself, so that one can be read alone. Immutable, safe for any thread; what encrypts or decrypts is a {@link Chunks}.
 */
public final class AgeFile {
    /** Bytes of content in every chunk but the last. */
    public static final int CHUNK_BYTES = 64 << 10;

    /** Bytes that a chunk has more in the file. */
    public static final int TAG_BYTES = AgeKeys.TAG_BYTES;

    /** Bytes that a full chunk has in the file. */
    public static final int SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;

    /** No header that anybody writes is longer. */
    public static final int MAX_HEADER_BYTES = 64 << 10;

    private static final int NONCE_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] start;
    private final int startBytes;
    private final SecretKeySpec key;

    private AgeFile(byte[] start, int startBytes, SecretKeySpec key) {
        this.start = start;
        this.startBytes = startBytes;
        this.key = key;
    }

    /** Begins a file: it has a key that no other has. */
    public static AgeFile to(List<AgeRecipient> recipients) {
        byte[] fileKey = new byte[AgeKeys.FILE_KEY_BYTES];
        RANDOM.nextBytes(fileKey);
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] header = AgeHeader.encode(fileKey, recipients);
        byte[] start = Arrays.copyOf(header, header.length + NONCE_BYTES);
        System.arraycopy(nonce, 0, start, header.length, NONCE_BYTES);
        return new AgeFile(start, start.length, AgeKeys.payload(fileKey, nonce));
    }

    /** Says whether bytes begin like an encrypted file. */
    public static boolean begins(byte[] bytes, int length) {
        return AgeHeader.begins(bytes, length);
    }

    /** Returns to how many a file is encrypted. */
    public static int recipients(byte[] bytes, int length) throws AgeException {
        return AgeHeader.parse(bytes, length).recipients();
    }

    /**
     * Opens a file.
     *
     * @param bytes its start: all of it, or at least the header and the nonce
     * @param length how many bytes there are
     */
    public static AgeFile open(byte[] bytes, int length, List<AgeIdentity> identities) throws AgeException {
        AgeHeader header = AgeHeader.parse(bytes, length);
        byte[] fileKey = header.open(identities);
        int end = header.bytes() + NONCE_BYTES;
        if (end > length) {
            throw new AgeException(Fault.HEADER, "it is cut off before its content");
        }
        byte[] nonce = Arrays.copyOfRange(bytes, header.bytes(), end);
        return new AgeFile(new byte[0], end, AgeKeys.payload(fileKey, nonce));
    }

    /** Returns what the file begins with, if it was begun here. */
    public byte[] start() {
        return start.clone();
    }

    /** Returns how many bytes of the file are before its first chunk. */
    public int startBytes() {
        return startBytes;
    }

    /** Returns how many bytes a file has of this content. */
    public long fileBytes(long contentBytes) {
        long chunks = Math.max(1, (contentBytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
        return startBytes + contentBytes + chunks * TAG_BYTES;
    }

    /** Returns how many bytes of content a file of this size holds. */
    public long contentBytes(long fileBytes) throws AgeException {
        long sealed = fileBytes - startBytes;
        long chunks = (sealed + SEALED_BYTES - 1) / SEALED_BYTES;
        long last = sealed - (chunks - 1) * SEALED_BYTES;
        if (sealed < TAG_BYTES || last < TAG_BYTES || (last == TAG_BYTES && chunks > 1)) {
            throw new AgeException(Fault.PAYLOAD, "its encrypted content is cut off");
        }
        return sealed - chunks * TAG_BYTES;
    }

    /** Returns how many bytes of content a file of this size can hold if it was cut off anywhere. */
    public long leftBytes(long fileBytes) {
        long sealed = Math.max(0, fileBytes - startBytes);
        return sealed / SEALED_BYTES * CHUNK_BYTES + Math.max(0, sealed % SEALED_BYTES - TAG_BYTES);
    }

    /** Returns what encrypts or decrypts chunks. */
    public Chunks chunks() {
        return new Chunks(key);
    }

    /** Encrypts and decrypts the chunks of one file. Confined to one thread. */
    public static final class Chunks {
        private static final int COUNTER_END = 11;

        private final SecretKeySpec key;
        private final Cipher cipher = AgeKeys.cipher();

        private Chunks(SecretKeySpec key) {
            this.key = key;
        }

        private void init(int mode, long chunk, boolean last) throws GeneralSecurityException {
            byte[] nonce = new byte[COUNTER_END + 1];
            for (int i = 0; i < Long.BYTES; i++) {
                nonce[COUNTER_END - 1 - i] = (byte) (chunk >>> (8 * i));
            }
            nonce[COUNTER_END] = (byte) (last ? 1 : 0);
            AgeKeys.init(cipher, mode, key, nonce);
        }

        /**
         * Encrypts a chunk, once.
         *
         * @param chunk its number, from 0
         * @param target gets {@link #TAG_BYTES} more than the source has
         */
        public int seal(long chunk, boolean last, byte[] source, int length, byte[] target, int offset) {
            try {
                init(Cipher.ENCRYPT_MODE, chunk, last);
                return cipher.doFinal(source, 0, length, target, offset);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Decrypts a chunk to a place in the target and returns how many bytes it holds. */
        public int open(long chunk, boolean last, byte[] source, int offset, int length, byte[] target, int at)
                throws AgeException {
            try {
                init(Cipher.DECRYPT_MODE, chunk, last);
                return cipher.doFinal(source, offset, length, target, at);
            } catch (GeneralSecurityException e) {
                throw new AgeException(Fault.PAYLOAD, "its encrypted content was changed or cut off");
            }
        }
    }
}
