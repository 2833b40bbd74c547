package io.chagres.stores.gcs;

import com.google.api.client.http.HttpBackOffIOExceptionHandler;
import com.google.api.client.http.HttpBackOffUnsuccessfulResponseHandler;
import com.google.api.client.http.HttpRequest;
import com.google.api.client.http.HttpRequestInitializer;
import com.google.api.client.http.HttpResponse;
import com.google.api.client.http.HttpUnsuccessfulResponseHandler;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.api.client.json.gson.GsonFactory;
import com.google.api.client.util.ExponentialBackOff;
import com.google.api.services.storage.Storage;
import com.google.api.services.storage.StorageScopes;
import com.google.auth.http.HttpCredentialsAdapter;
import com.google.auth.oauth2.GoogleCredentials;
import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.ObjectAddress;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Makes clients of Google's JSON interface. Stateless. */
final class GcsClients {
    private static final int CONNECT_MS = 5_000;
    private static final int READ_MS = 30_000;

    /** Passes over short troubles; for the longer ones the shipper waits, and says so. */
    private static final int RETRIES = 3;

    private static final int FIRST_WAIT_MS = 100;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int SERVER_ERROR = 500;

    private GcsClients() {}

    static Storage create(ObjectAddress address, AnswerClock clock) throws IOException {
        URI endpoint = address.endpoint();
        HttpCredentialsAdapter credentials = credentials(address, endpoint);
        Storage.Builder builder = new Storage.Builder(
                        new NetHttpTransport(),
                        GsonFactory.getDefaultInstance(),
                        new Initializer(address, credentials, clock))
                .setApplicationName("chagres");
        if (endpoint != null) {
            builder.setRootUrl(endpoint.toString().replaceAll("/*$", "/"));
        }
        return builder.build();
    }

    /** Returns what signs requests, or null: a token goes to nobody over a line that everybody can read. */
    private static @Nullable HttpCredentialsAdapter credentials(ObjectAddress address, @Nullable URI endpoint)
            throws IOException {
        if (endpoint != null && "http".equals(endpoint.getScheme())) {
            return null;
        }
        try {
            return new HttpCredentialsAdapter(
                    GoogleCredentials.getApplicationDefault().createScoped(StorageScopes.DEVSTORAGE_READ_WRITE));
        } catch (IOException e) {
            boolean none = GcsFailure.saysThatThereAreNoCredentials(e);
            if (none && endpoint != null) {
                return null;
            }
            throw none ? GcsFailure.noCredentials(address, e) : GcsFailure.badCredentials(address, e);
        }
    }

    /** Gives each request its credentials, timeouts and retries. */
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
                    .setIOExceptionHandler(new HttpBackOffIOExceptionHandler(waits()))
                    .setUnsuccessfulResponseHandler(retries());
        }

        private HttpUnsuccessfulResponseHandler retries() {
            HttpBackOffUnsuccessfulResponseHandler later =
                    new HttpBackOffUnsuccessfulResponseHandler(waits()).setBackOffRequired(Initializer::mayPass);
            return (request, response, supportsRetry) ->
                    credentials != null && credentials.handleResponse(request, response, supportsRetry)
                            || later.handleResponse(request, response, supportsRetry);
        }

        private static boolean mayPass(HttpResponse response) {
            return response.getStatusCode() >= SERVER_ERROR
                    || response.getStatusCode() == TOO_MANY_REQUESTS
                    || response.getStatusCode() == REQUEST_TIMEOUT;
        }

        private static ExponentialBackOff waits() {
            return new ExponentialBackOff.Builder()
                    .setInitialIntervalMillis(FIRST_WAIT_MS)
                    .setMultiplier(2)
                    .build();
        }
    }
}
