package io.chagres.archive;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The key by which a host is found: the host's name, its machine, and its id. Anybody who knows the name lists few
 * keys, and a list of all keys shows all hosts. Immutable.
 *
 * @param name what the host is called
 * @param machine hash of its machine's id, which is nobody's business
 * @param product hash of the id of its hardware, 0 when unknown
 * @param hostId 16 hexadecimal digits
 */
record HostKey(String name, long machine, long product, String hostId) {
    /** Most characters of a written name: a file name has 255, the rest of the key takes 51. */
    private static final int MAX_NAME_LENGTH = 200;

    private static final int DIGITS = 16;
    private static final int IDS_LENGTH = 3 * DIGITS + 2;
    private static final char ESCAPE = '_';
    private static final char END = '~';

    /** Says whether a name is short enough for a key. */
    static boolean fits(String name) {
        return written(name).length() <= MAX_NAME_LENGTH;
    }

    /** Returns what the keys of all hosts of a name begin with. */
    static String prefix(String name) {
        return ArchiveLayout.NAMES + written(name) + END;
    }

    /** Returns what the keys of all hosts of a name on a machine begin with; its copies have the same id. */
    static String prefix(String name, long machine) {
        return prefix(name) + ArchiveLayout.hex(machine) + '-';
    }

    /** Returns the key. */
    String text() {
        return prefix(name, machine) + ArchiveLayout.hex(product) + '-' + hostId;
    }

    /** Says whether it may be the key of a machine whose hardware has this hash, or 0. */
    boolean mayBeOf(long hardware) {
        return product == hardware || product == 0 || hardware == 0;
    }

    /** Returns what a key says; null when no writer of this format makes such a key. */
    static @Nullable HostKey parse(String key) {
        int end = key.lastIndexOf(END);
        if (!key.startsWith(ArchiveLayout.NAMES) || end < 0 || key.length() - end - 1 != IDS_LENGTH) {
            return null;
        }
        String machine = key.substring(end + 1, end + 1 + DIGITS);
        String product = key.substring(end + 2 + DIGITS, end + 2 + 2 * DIGITS);
        String hostId = key.substring(end + 3 + 2 * DIGITS);
        String name = read(key.substring(ArchiveLayout.NAMES.length(), end));
        if (name == null
                || !ArchiveLayout.isHostId(machine)
                || !ArchiveLayout.isHostId(product)
                || !ArchiveLayout.isHostId(hostId)) {
            return null;
        }
        HostKey parsed = new HostKey(
                name, HexFormat.fromHexDigitsToLong(machine), HexFormat.fromHexDigitsToLong(product), hostId);
        return parsed.text().equals(key) ? parsed : null;
    }

    private static boolean isPlain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    }

    /** Writes a name with the characters that every store and every address takes as they are. */
    private static String written(String name) {
        StringBuilder text = new StringBuilder(name.length());
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain((char) (b & 0xff))) {
                text.append((char) b);
            } else {
                text.append(ESCAPE).append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        return text.toString();
    }

    private static @Nullable String read(String written) {
        byte[] bytes = new byte[written.length()];
        int length = 0;
        for (int i = 0; i < written.length(); i++) {
            char c = written.charAt(i);
            if (c != ESCAPE) {
                bytes[length++] = (byte) c;
            } else if (i + 2 < written.length()
                    && HexFormat.isHexDigit(written.charAt(i + 1))
                    && HexFormat.isHexDigit(written.charAt(i + 2))) {
                bytes[length++] = (byte) HexFormat.fromHexDigits(written, i + 1, i + 3);
                i += 2;
            } else {
                return null;
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
