package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key with a certificate of this machine that it signed itself, so that only clients configured with it trust it:
 * files in PEM, and the contexts of a server. Immutable.
 *
 * @param certificate a file in PEM
 * @param key a file in PEM: PKCS #8, not encrypted
 * @param server the context of a server that shows it
 * @param mutual the context of a server that takes it from clients, too
 */
public record TlsIdentity(Path certificate, Path key, SSLContext server, SSLContext mutual) {
    private static final String PASSWORD = "chagres-test";
    private static final String ALIAS = "server";

    /** Makes one in an existing directory. */
    public static TlsIdentity in(Path directory) {
        Path store = directory.resolve("identity.p12");
        Program.ok(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            return new TlsIdentity(
                    pem(directory, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
                    pem(
                            directory,
                            "PRIVATE KEY",
                            keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()),
                    context(keys, false),
                    context(keys, true));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new AssertionError("keytool made no key", e);
        }
    }

    private static Path pem(Path directory, String kind, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.write(
                directory.resolve(kind.replace(' ', '-') + ".pem"),
                List.of("-----BEGIN " + kind + "-----", lines, "-----END " + kind + "-----"));
    }

    private static SSLContext context(KeyStore keys, boolean mutual) throws GeneralSecurityException {
        KeyManagerFactory shown = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        shown.init(keys, PASSWORD.toCharArray());
        KeyStore clients = KeyStore.getInstance("PKCS12");
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        try {
            clients.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        clients.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
        trusted.init(clients);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(shown.getKeyManagers(), mutual ? trusted.getTrustManagers() : null, null);
        return context;
    }
}
