package io.chagres.stores.gcs;

import com.google.api.client.http.HttpRequest;
import com.google.api.client.http.HttpRequestInitializer;
import com.google.api.client.http.HttpTransport;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.api.client.json.gson.GsonFactory;
import com.google.api.services.storage.Storage;
import com.google.api.services.storage.StorageScopes;
import com.google.auth.http.HttpCredentialsAdapter;
import com.google.auth.oauth2.GoogleCredentials;
import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes clients of Google's JSON interface. Stateless. */
final class GcsClients {
    private static final int CONNECT_MS = 5_000;
    private static final int READ_MS = 30_000;

    /** Only a token that has ended is renewed here: the caller decides whether to ask again, and until when. */
    private static final int RETRIES = 1;

    private GcsClients() {}

    static Storage create(ObjectAddress address, Map<String, String> environment, AnswerClock clock)
            throws IOException {
        URI endpoint = address.endpoint();
        HttpTransport transport = transport(TlsFiles.of(address.parameters(), List.of(), environment));
        HttpCredentialsAdapter credentials = credentials(address, endpoint, transport);
        Storage.Builder builder = new Storage.Builder(
                        transport, GsonFactory.getDefaultInstance(), new Initializer(address, credentials, clock))
                .setApplicationName("chagres");
        if (endpoint != null) {
            builder.setRootUrl(endpoint.toString().replaceAll("/*$", "/"));
        }
        return builder.build();
    }

    private static HttpTransport transport(TlsFiles tls) {
        NetHttpTransport.Builder builder = new NetHttpTransport.Builder();
        if (tls.isNamed()) {
            builder.setSslSocketFactory(tls.context().getSocketFactory());
        }
        return builder.build();
    }

    /** Returns what signs requests, or null: a token goes to nobody over a line that everybody can read. */
    private static @Nullable HttpCredentialsAdapter credentials(
            ObjectAddress address, @Nullable URI endpoint, HttpTransport transport) throws IOException {
        if (endpoint != null && "http".equals(endpoint.getScheme())) {
            return null;
        }
        try {
            return new HttpCredentialsAdapter(GoogleCredentials.getApplicationDefault(() -> transport)
                    .createScoped(StorageScopes.DEVSTORAGE_READ_WRITE));
        } catch (IOException e) {
            boolean none = GcsFailure.saysThatThereAreNoCredentials(e);
            if (none && endpoint != null) {
                return null;
            }
            throw none ? GcsFailure.noCredentials(address, e) : GcsFailure.badCredentials(address, e);
        }
    }

    /** Gives each request its credentials and timeouts. */
    private record Initializer(
            ObjectAddress address, @Nullable HttpCredentialsAdapter credentials, AnswerClock clock)
            implements HttpRequestInitializer {
        @Override
        public void initialize(HttpRequest request) throws IOException {
            if (credentials != null) {
                try {
                    credentials.initialize(request);
                } catch (IOException e) {
                    throw GcsFailure.noToken(address, e);
                }
            }
            request.setConnectTimeout(CONNECT_MS)
                    .setReadTimeout(READ_MS)
                    .setNumberOfRetries(RETRIES)
                    .setLoggingEnabled(false)
                    .setResponseInterceptor(
                            response -> clock.hear(response.getHeaders().getFirstHeaderStringValue("date")))
                    .setUnsuccessfulResponseHandler(credentials);
        }
    }
}
