package io.chagres.archive.prove;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.sign.Sha256;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.Statement;
import io.chagres.archive.sign.VerifyKey;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;

/**
 * What a checkpoint stands on: the digest of each object, of the checkpoint itself first of all, signed by who
 * compacted. As text a line {@code KEY DIGEST} for each object, in the order of keys, which leave out {@code
 * hosts/HOST/}; the last line is the signed statement over the digest of the lines before it. A reader holds some 250
 * bytes for each object in memory. Immutable.
 *
 * @param id the checkpoint
 * @param objects SHA-256 of each object as it is stored, by key
 * @param signed the last line; whether somebody is trusted is for others to say
 */
record Manifest(CheckpointId id, Map<String, byte[]> objects, SignedStatement signed) {
    /** The most bytes of a manifest; a line has some 140. */
    private static final int MAX_BYTES = 256 << 20;

    private static final int HEX_DIGITS = 2 * Sha256.BYTES;

    /**
     * Returns the text of a manifest.
     *
     * @param objects digests by key
     */
    static byte[] text(String hostId, CheckpointId id, SortedMap<String, byte[]> objects, SigningKey key)
            throws IOException {
        int prefix = ArchiveLayout.host(hostId).length();
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, byte[]> each : objects.entrySet()) {
            text.append(each.getKey(), prefix, each.getKey().length()).append(' ');
            text.append(HexFormat.of().formatHex(each.getValue())).append('\n');
            if (text.length() > MAX_BYTES / 2) {
                throw new IOException("checkpoint " + id.seq() + " of host " + hostId
                        + " refers to more objects than a manifest can name; it was not signed");
            }
        }
        byte[] lines = text.toString().getBytes(StandardCharsets.US_ASCII);
        Statement statement = Statement.ofCheckpoint(hostId, id, Sha256.of(MemorySegment.ofArray(lines)));
        byte[] last = (key.sign(statement) + "\n").getBytes(StandardCharsets.US_ASCII);
        byte[] whole = Arrays.copyOf(lines, lines.length + last.length);
        System.arraycopy(last, 0, whole, lines.length, last.length);
        return whole;
    }

    /**
     * Reads the manifest of a checkpoint.
     *
     * @param store as objects are stored
     * @throws CorruptArchiveException when it is none, or another checkpoint's
     */
    static Manifest read(BlobStore store, String hostId, CheckpointId id) throws IOException {
        String key = ArchiveLayout.manifest(hostId, id);
        long size = store.size(key);
        if (size < 0 || size > MAX_BYTES) {
            throw new CorruptArchiveException(key, size < 0 ? "it is missing" : "it is larger than any manifest");
        }
        byte[] text = new byte[(int) size];
        if (store.get(key, 0, MemorySegment.ofArray(text)) != size) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        try {
            return parse(hostId, id, text);
        } catch (IllegalArgumentException e) {
            throw new CorruptArchiveException(key, String.valueOf(e.getMessage()));
        }
    }

    private static Manifest parse(String hostId, CheckpointId id, byte[] text) {
        int lines = text.length - 1;
        while (lines > 0 && text[lines - 1] != '\n') {
            lines--;
        }
        require(lines > 0 && text[text.length - 1] == '\n', "it does not end with a line");
        String last = new String(text, lines, text.length - 1 - lines, StandardCharsets.ISO_8859_1);
        SignedStatement signed = SignedStatement.parse(last);
        byte[] digest = Sha256.of(MemorySegment.ofArray(text).asSlice(0, lines));
        require(signed.toString().equals(last), "its last line is not in the form that is signed");
        require(
                signed.statement().equals(Statement.ofCheckpoint(hostId, id, digest)),
                "what was signed is something else");
        return new Manifest(id, objects(hostId, text, lines), signed);
    }

    private static Map<String, byte[]> objects(String hostId, byte[] text, int end) {
        Map<String, byte[]> objects = new HashMap<>();
        String prefix = ArchiveLayout.host(hostId);
        String before = "";
        for (int at = 0; at < end; ) {
            int to = at;
            while (text[to] != '\n') {
                to++;
            }
            String line = new String(text, at, to - at, StandardCharsets.ISO_8859_1);
            int space = line.indexOf(' ');
            require(space > 0 && line.length() - space - 1 == HEX_DIGITS, "a line of it is no key and digest");
            String key = line.substring(0, space);
            require(key.compareTo(before) > 0, "its keys are not in order");
            objects.put(prefix + key, HexFormat.of().parseHex(line, space + 1, line.length()));
            before = key;
            at = to + 1;
        }
        return objects;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** Returns by whom it says that it was signed. */
    VerifyKey by() {
        return signed.key();
    }
}
