package io.chagres.stores.s3;

import io.chagres.archive.store.StoreException;
import java.util.Map;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpService;

/**
 * Makes the clients that the SDK makes for itself, to ask for credentials (STS, SSO): they trust the certificates that
 * AWS's own tools are set to trust. The start script names this class to the SDK; nothing changes in other programs
 * that use these jars. Stateless.
 */
public final class TrustingHttpService implements SdkHttpService {
    private final Map<String, String> environment;

    /** Made by the SDK, by its name. */
    public TrustingHttpService() {
        this(System.getenv());
    }

    TrustingHttpService(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public SdkHttpClient.Builder<?> createHttpClientBuilder() {
        try {
            return S3Clients.http(S3Clients.tls(Map.of(), environment));
        } catch (StoreException e) {
            throw new IllegalStateException(e.getMessage(), e); // the store itself has said it before
        }
    }
}
