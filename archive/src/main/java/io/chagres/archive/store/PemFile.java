package io.chagres.archive.store;

import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a file in PEM; text around its blocks is passed over. A certificate alone may be in DER. Immutable.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7468">RFC 7468</a>
 */
final class PemFile {
    /** All authorities of the world take half a MiB. */
    private static final int MAX_BYTES = 16 << 20;

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    private static final List<String> KEYS = List.of("RSA", "EC", "EdDSA");

    private final List<X509Certificate> certificates = new ArrayList<>();
    private @Nullable PrivateKey privateKey;

    private PemFile() {}

    /**
     * Reads a file.
     *
     * @throws IOException when it cannot be read, or a block is none of its kind; the message holds nothing of it
     */
    static PemFile read(Pathname file) throws IOException {
        byte[] bytes = bytes(file);
        PemFile pem = new PemFile();
        Matcher block = BLOCK.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        boolean any = false;
        while (block.find()) {
            any = true;
            byte[] content = decoded(block.group(2));
            switch (block.group(1)) {
                case "CERTIFICATE", "X509 CERTIFICATE" -> pem.certificates.add(certificate(content));
                case "PRIVATE KEY" -> pem.privateKey = pem.privateKey == null ? key(content) : pem.privateKey;
                default -> {}
            }
        }
        if (!any && bytes.length > 0 && bytes[0] == 0x30) { // a sequence of ASN.1
            pem.certificates.add(certificate(bytes));
        }
        return pem;
    }

    private static byte[] bytes(Pathname file) throws IOException {
        try (Fd fd = Fd.open(file, Fd.O_RDONLY | Fd.O_NONBLOCK | Fd.O_CLOEXEC, 0);
                Statx stat = new Statx();
                Arena arena = Arena.ofConfined()) {
            if (stat.of(fd.value()) != 0 || !stat.isRegular() || stat.size() > MAX_BYTES) {
                throw new IOException(stat.isDirectory() ? "it is a directory" : "it is no file of a readable size");
            }
            MemorySegment content = arena.allocate(Math.max(1, stat.size()));
            return content.asSlice(0, fd.preadFully(content, 0, stat.size(), 0)).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Returns the certificates in their order. */
    List<X509Certificate> certificates() {
        return certificates;
    }

    /** Returns the first private key of PKCS #8 that is not encrypted; null when there is none. */
    @Nullable
    PrivateKey privateKey() {
        return privateKey;
    }

    private static byte[] decoded(String text) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IOException("a block is not of base 64", e);
        }
    }

    private static X509Certificate certificate(byte[] der) throws IOException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw new IOException("a block is no certificate", e);
        }
    }

    private static PrivateKey key(byte[] der) throws IOException {
        for (String kind : KEYS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // of another kind
            }
        }
        throw new IOException("the private key is of no known kind: "
                + String.join(", ", KEYS).toLowerCase(Locale.ROOT));
    }
}
