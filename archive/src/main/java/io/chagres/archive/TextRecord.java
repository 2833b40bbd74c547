package io.chagres.archive;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * An object that people can read: lines {@code key=value} in UTF-8, the first of them the version of the format, the
 * last a checksum of those before it. Unknown keys are ignored. Confined to one
 * thread.
 */
final class TextRecord {
    /** Bytes behind it are not read. */
    static final int MAX_BYTES = 16 * 1024;

    private static final String FORMAT = "1";
    private static final String CHECKSUM = "crc32c=";

    private final Map<String, String> values = new LinkedHashMap<>();

    /** Begins one that holds the version of the format only. */
    TextRecord() {
        values.put("format", FORMAT);
    }

    /**
     * Reads one.
     *
     * @param what what it should be, for messages
     * @throws io.chagres.archive.store.NoSuchBlobException when there is none
     * @throws CorruptArchiveException when it is something else
     */
    static TextRecord get(BlobStore store, String key, String what) throws IOException {
        byte[] bytes = new byte[MAX_BYTES];
        int length;
        try {
            length = Math.max(0, store.get(key, 0, MemorySegment.ofArray(bytes)));
        } catch (StoreException e) {
            throw CorruptArchiveException.noObject(key, e);
        }
        return parse(new String(bytes, 0, length, StandardCharsets.UTF_8), key, what);
    }

    /** Reads the text of one. */
    static TextRecord parse(String text, String key, String what) throws CorruptArchiveException {
        TextRecord record = new TextRecord();
        record.values.clear();
        int sum = text.lastIndexOf(CHECKSUM);
        if (sum < 0 || !text.substring(sum).equals(checksum(text.substring(0, sum)))) {
            throw new CorruptArchiveException(key, "its checksum is wrong or missing");
        }
        text.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                record.values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        });
        if (!FORMAT.equals(record.text("format"))) {
            throw new CorruptArchiveException(key, "it is no " + what + " of this format");
        }
        return record;
    }

    /** Adds a value; what cannot be shown becomes a space. */
    TextRecord with(String key, String value) {
        values.put(key, line(value));
        return this;
    }

    /** Adds a number. */
    TextRecord with(String key, long value) {
        return with(key, Long.toString(value));
    }

    /** Returns a value, empty when there is none. */
    String text(String key) {
        return values.getOrDefault(key, "");
    }

    /** Returns a number between two bounds; the lower one when there is none, or another. */
    long number(String key, long least, long most) {
        try {
            long number = Long.parseLong(text(key));
            return number < least || number > most ? least : number;
        } catch (NumberFormatException e) {
            return least;
        }
    }

    /** Puts it unless the key exists; returns whether it did not. */
    boolean put(BlobStore store, String key) throws IOException {
        return store.putIfAbsent(key, MemorySegment.ofArray(lines().getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns its text. */
    String lines() {
        StringBuilder text = new StringBuilder();
        values.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        return text.append(checksum(text.toString())).toString();
    }

    /** Returns the last line of a record. */
    static String checksum(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.UTF_8));
        return CHECKSUM + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
    }

    /** Returns a text with a space for each character that cannot be shown. */
    static String line(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(c -> Pathname.isShown(c) ? c : ' ').forEach(line::appendCodePoint);
        return line.toString();
    }
}
