package io.chagres.archive.age;

import io.chagres.archive.age.AgeException.Fault;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header of an encrypted file: the key of the file, encrypted to each recipient. Lines of ASCII, see
 * <a href="https://c2sp.org/age#header">c2sp.org/age</a>:
 *
 * <pre>
 * age-encryption.org/v1
 * -&gt; X25519 SHARE         for each recipient: base 64 without padding of 32 bytes
 * FILE KEY, ENCRYPTED     32 bytes
 * --- MAC                 32 bytes
 * </pre>
 */
final class AgeHeader {
    static final byte[] VERSION = "age-encryption.org/v1\n".getBytes(StandardCharsets.US_ASCII);
    private static final String STANZA = "-> ";
    private static final String END = "---";
    private static final int COLUMNS = 64;
    private static final int MAC_BYTES = 32;
    private static final Base64.Encoder ENCODER = Base64.getEncoder().withoutPadding();

    private record Stanza(String[] arguments, byte[] body) {
        boolean is(String type) {
            return arguments[0].equals(type);
        }
    }

    private final byte[] bytes;
    private final int length;
    private final List<Stanza> stanzas = new ArrayList<>();
    private int at;
    private int macEnd;
    private byte[] mac = {};

    private AgeHeader(byte[] bytes, int length) {
        this.bytes = bytes;
        this.length = length;
    }

    /** Returns a header for a file key, whole. */
    static byte[] encode(byte[] fileKey, List<AgeRecipient> recipients) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(VERSION);
        for (AgeRecipient recipient : recipients) {
            byte[] secret = X25519.secret();
            byte[] share = X25519.point(secret);
            byte[] shared = X25519.multiply(secret, recipient.point());
            if (shared == null) {
                throw new IllegalArgumentException(recipient + " is no key that anybody can have");
            }
            byte[] wrapped = AgeKeys.wrap(fileKey, shared, share, recipient);
            out.writeBytes(ascii(STANZA + "X25519 " + ENCODER.encodeToString(share) + "\n"
                    + ENCODER.encodeToString(wrapped) + "\n"));
        }
        out.writeBytes(ascii(END));
        byte[] mac = AgeKeys.headerMac(fileKey, out.toByteArray(), out.size());
        out.writeBytes(ascii(" " + ENCODER.encodeToString(mac) + "\n"));
        return out.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Says whether bytes begin like a file of this format. */
    static boolean begins(byte[] bytes, int length) {
        return length >= VERSION.length && Arrays.equals(bytes, 0, VERSION.length, VERSION, 0, VERSION.length);
    }

    /**
     * Takes a header apart.
     *
     * @param bytes begin with it; kept
     * @param length how many there are
     */
    static AgeHeader parse(byte[] bytes, int length) throws AgeException {
        if (!begins(bytes, length)) {
            throw new AgeException(Fault.HEADER, "it does not begin like an encrypted file");
        }
        AgeHeader header = new AgeHeader(bytes, length);
        header.at = VERSION.length;
        String line = header.line();
        while (line.startsWith(STANZA)) {
            header.stanzas.add(header.stanza(line));
            line = header.line();
        }
        if (!line.startsWith(END + " ")) {
            throw malformed();
        }
        header.macEnd = header.at - 1 - line.length() + END.length();
        header.mac = decode(line.substring(END.length() + 1));
        boolean lonely = header.stanzas.stream().anyMatch(stanza -> stanza.is("scrypt"));
        if (header.mac.length != MAC_BYTES || header.stanzas.isEmpty() || (lonely && header.stanzas.size() > 1)) {
            throw malformed();
        }
        return header;
    }

    private Stanza stanza(String line) throws AgeException {
        String[] arguments = line.substring(STANZA.length()).split(" ", -1);
        for (String argument : arguments) {
            if (argument.isEmpty() || argument.chars().anyMatch(c -> c < 33 || c > 126)) {
                throw malformed();
            }
        }
        StringBuilder body = new StringBuilder();
        String part;
        do {
            part = line();
            if (part.length() > COLUMNS || (part.length() < COLUMNS && part.startsWith(STANZA))) {
                throw malformed();
            }
            body.append(part);
        } while (part.length() == COLUMNS);
        return new Stanza(arguments, decode(body.toString()));
    }

    private String line() throws AgeException {
        int from = at;
        while (at < length && bytes[at] != '\n') {
            at++;
        }
        if (at == length) {
            throw malformed();
        }
        return new String(bytes, from, at++ - from, StandardCharsets.ISO_8859_1);
    }

    private static byte[] decode(String text) throws AgeException {
        try {
            byte[] decoded = Base64.getDecoder().decode(text);
            if (ENCODER.encodeToString(decoded).equals(text)) { // no padding, no bits left over
                return decoded;
            }
        } catch (IllegalArgumentException e) {
            // as below
        }
        throw malformed();
    }

    private static AgeException malformed() {
        return new AgeException(Fault.HEADER, "its header of age is damaged");
    }

    /** Returns how many bytes it has. */
    int bytes() {
        return at;
    }

    /** Returns for how many it is. */
    int recipients() {
        return stanzas.size();
    }

    /** Returns the key of the file. */
    byte[] open(List<AgeIdentity> identities) throws AgeException {
        for (Stanza stanza : stanzas) {
            byte[] fileKey = stanza.is("X25519") ? open(stanza, identities) : null;
            if (fileKey != null) {
                if (!MessageDigest.isEqual(mac, AgeKeys.headerMac(fileKey, bytes, macEnd))) {
                    throw new AgeException(Fault.MAC, "its header of age was changed");
                }
                return fileKey;
            }
        }
        throw new AgeException(Fault.NO_MATCH, "no identity opens it", stanzas.size());
    }

    private static byte @Nullable [] open(Stanza stanza, List<AgeIdentity> identities) throws AgeException {
        byte[] share = stanza.arguments.length == 2 ? decode(stanza.arguments[1]) : new byte[0];
        if (share.length != X25519.BYTES || stanza.body.length != AgeKeys.FILE_KEY_BYTES + AgeKeys.TAG_BYTES) {
            throw malformed();
        }
        for (AgeIdentity identity : identities) {
            byte[] shared = identity.shared(share);
            if (shared == null) {
                throw malformed();
            }
            byte[] fileKey = AgeKeys.unwrap(stanza.body, shared, share, identity.recipient());
            if (fileKey != null) {
                return fileKey;
            }
        }
        return null;
    }
}
