package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertPathBuilderException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates that a server may show, and the certificate that this side shows: files in PEM that an address or
 * the environment names. Where nobody names one, the authorities of the JDK count; where somebody does, those of the
 * file and no others, as with the vendors' own tools. The files are read once. Immutable.
 */
public final class TlsFiles {
    /** The parameter of an address that names the file of the authorities. */
    public static final String CA_FILE = "ca-file";

    /** The parameter of an address that names the file of the certificate of this side, and of those above it. */
    public static final String CLIENT_CERT = "client-cert";

    /** The parameter of an address that names the file of its private key; that of the certificate may hold it too. */
    public static final String CLIENT_KEY = "client-key";

    /** All parameters of an address that are read here. */
    public static final Set<String> PARAMETERS = Set.of(CA_FILE, CLIENT_CERT, CLIENT_KEY);

    private static final String EVERYBODYS = "SSL_CERT_FILE";
    private static final String TRUST_STORE = "javax.net.ssl.trustStore";

    private final @Nullable Pathname caFile;
    private final @Nullable TrustManagerFactory trust;
    private final @Nullable KeyManagerFactory keys;

    /**
     * A file of authorities, and who names it.
     *
     * @param by what a message calls the place where it is named
     * @param file null or empty when it names none
     */
    public record Named(String by, @Nullable String file) {}

    private TlsFiles(@Nullable Pathname caFile, @Nullable TrustManagerFactory trust, @Nullable KeyManagerFactory keys) {
        this.caFile = caFile;
        this.trust = trust;
        this.keys = keys;
    }

    /**
     * Reads a file of authorities alone.
     *
     * @param caFile its path; null is none, which is right
     * @throws StoreException when it cannot be read or holds none
     */
    public static void check(@Nullable String caFile) throws StoreException {
        var _ = of(caFile == null ? Map.of() : Map.of(CA_FILE, caFile), List.of(), Map.of());
    }

    /**
     * Reads the files that an address names, or else those of the environment.
     *
     * @param parameters those of the address; others than {@link #PARAMETERS} are passed over
     * @param vendors where the vendor's tools look for a file of authorities: the first one that names one counts, then
     *     {@code SSL_CERT_FILE}; none of them where the JVM was given a trust store
     * @throws StoreException when a file cannot be read, or does not hold what it should
     */
    public static TlsFiles of(Map<String, String> parameters, List<Named> vendors, Map<String, String> environment)
            throws StoreException {
        List<Named> all = new ArrayList<>();
        all.add(new Named(CA_FILE + "=", parameters.get(CA_FILE)));
        if (System.getProperty(TRUST_STORE) == null) { // who set it for this program alone meant it
            all.addAll(vendors);
            all.add(new Named(EVERYBODYS, environment.get(EVERYBODYS)));
        }
        Pathname caFile = null;
        TrustManagerFactory trust = null;
        for (Named named : all) {
            if (named.file != null && !named.file.isBlank()) {
                caFile = path(named.file, named.by);
                trust = trust(caFile, named.by);
                break;
            }
        }
        return new TlsFiles(caFile, trust, keys(parameters.get(CLIENT_CERT), parameters.get(CLIENT_KEY)));
    }

    private static Pathname path(String file, String by) throws StoreException {
        if (file.indexOf('\0') >= 0) {
            throw new StoreException(by + " names no file");
        }
        return Pathname.of(file);
    }

    private static PemFile pem(Pathname file, String by) throws StoreException {
        try {
            return PemFile.read(file);
        } catch (ErrnoException e) {
            throw new StoreException(
                    by + " names " + file + ", which "
                            + (e.errno() == Errno.ENOENT
                                    ? "does not exist"
                                    : "cannot be read: " + Errno.message(e.errno())),
                    e,
                    true);
        } catch (IOException e) {
            throw new StoreException(by + " names " + file + ", and it is of no use: " + e.getMessage(), e, true);
        }
    }

    private static TrustManagerFactory trust(Pathname file, String by) throws StoreException {
        List<X509Certificate> authorities = pem(file, by).certificates();
        if (authorities.isEmpty()) {
            throw new StoreException(by + " names " + file + ", which holds no certificate in PEM");
        }
        try {
            KeyStore store = empty();
            for (X509Certificate each : authorities) {
                store.setCertificateEntry("ca" + store.size(), each);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (GeneralSecurityException | IOException e) {
            throw new StoreException(by + " names " + file + ", and the JDK cannot use it: " + e.getMessage());
        }
    }

    private static @Nullable KeyManagerFactory keys(@Nullable String certificate, @Nullable String key)
            throws StoreException {
        if (certificate == null) {
            if (key != null) {
                throw new StoreException(CLIENT_KEY + "= is of no use without " + CLIENT_CERT + "=");
            }
            return null;
        }
        Pathname file = path(certificate, CLIENT_CERT + "=");
        List<X509Certificate> chain = pem(file, CLIENT_CERT + "=").certificates();
        if (chain.isEmpty()) {
            throw new StoreException(CLIENT_CERT + "= names " + file + ", which holds no certificate in PEM");
        }
        String by = (key == null ? CLIENT_CERT : CLIENT_KEY) + "=";
        Pathname keyFile = key == null ? file : path(key, by);
        PrivateKey secret = pem(keyFile, by).privateKey();
        if (secret == null) {
            throw new StoreException(by + " names " + keyFile + ", which holds no open private key in PKCS #8"
                    + " ('openssl pkcs8 -topk8 -nodes' makes one)");
        }
        try {
            KeyStore store = empty();
            store.setKeyEntry("client", secret, new char[0], chain.toArray(X509Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory;
        } catch (GeneralSecurityException | IOException e) {
            throw new StoreException(CLIENT_CERT + "= and its key do not belong together: " + e.getMessage());
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    /** Says whether somebody named anything: else the JDK's own context does. */
    public boolean isNamed() {
        return trust != null || keys != null;
    }

    /** Returns the file of the authorities; null where those of the JDK count. */
    public @Nullable Pathname caFile() {
        return caFile;
    }

    /** Returns who judges the server's certificate; null where the JDK does. */
    public TrustManager @Nullable [] trustManagers() {
        return trust == null ? null : trust.getTrustManagers();
    }

    /** Returns who shows a certificate of this side; null where nobody does. */
    public KeyManager @Nullable [] keyManagers() {
        return keys == null ? null : keys.getKeyManagers();
    }

    /** Returns the context that connections are made in. */
    public SSLContext context() {
        try {
            if (!isNamed()) {
                return SSLContext.getDefault();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), trustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    /** Returns what to do about a connection that a certificate ended, with a blank before; else nothing. */
    public static String advice(Throwable failure) {
        boolean ofTls = false;
        for (Throwable at = failure; at != null; at = at.getCause() == at ? null : at.getCause()) {
            ofTls |= at instanceof SSLHandshakeException;
            if (at instanceof CertPathBuilderException) {
                return " (no authority that is trusted here has signed the server's certificate: name the file of"
                        + " yours by " + CA_FILE + "= or " + EVERYBODYS + ")";
            }
        }
        return ofTls && String.valueOf(failure).contains("certificate_required")
                ? " (the server wants a certificate of this side: name its file by " + CLIENT_CERT + "=)"
                : "";
    }
}
