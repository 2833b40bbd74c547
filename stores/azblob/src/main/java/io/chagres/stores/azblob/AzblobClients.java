package io.chagres.stores.azblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.util.Context;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.ObjectAddress;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes clients of Azure's SDK. Stateless. */
final class AzblobClients {
    /** Says where credentials come from. */
    static final String CREDENTIALS =
            "AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_CLIENT_ID and its kin, the machine's or pod's identity"
                    + " or az login";

    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** Without a byte to or from the server for so long, a request has failed. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    /** A put that is slower than this is taken for one that hangs. */
    private static final long SLOWEST_BYTES_PER_SECOND = 1 << 20;

    /** The caller decides whether to ask again, and until when. */
    private static final int TRIES = 1;

    private AzblobClients() {}

    /** @param environment where credentials are looked for first, as Azure's command line names them */
    static BlobContainerClient create(ObjectAddress address, Map<String, String> environment, AnswerClock clock)
            throws StoreException {
        URI endpoint = address.endpoint();
        String account = address.parameters().get(ObjectAddress.ACCOUNT);
        if (endpoint == null) {
            endpoint = endpointOf(address, account);
        }
        com.azure.core.http.HttpClient http = http(TlsFiles.of(address.parameters(), List.of(), environment));
        BlobContainerClientBuilder builder = new BlobContainerClientBuilder()
                .endpoint(endpoint.toString())
                .containerName(address.bucket())
                .addPolicy((context, next) ->
                        next.process().doOnNext(answer -> clock.hear(answer.getHeaderValue(HttpHeaderName.DATE))))
                .encryptionScope(AzblobOptions.of(address).encryptionScope())
                .httpClient(http)
                .retryOptions(new RequestRetryOptions(RetryPolicyType.FIXED, TRIES, (Duration) null, null, null, null));
        authorize(builder, address, account, http, environment);
        return builder.buildClient();
    }

    private static com.azure.core.http.HttpClient http(TlsFiles tls) {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        if (tls.isNamed()) {
            builder.sslContext(tls.context());
        }
        return new JdkHttpClientBuilder(builder)
                .connectionTimeout(CONNECT)
                .writeTimeout(SILENCE)
                .readTimeout(SILENCE)
                .responseTimeout(SILENCE)
                .build();
    }

    private static URI endpointOf(ObjectAddress address, @Nullable String account) throws StoreException {
        if (account == null || !account.matches("[a-z0-9]{3,24}")) {
            throw new StoreException(address.name() + ": needs the name of the storage account, 3 to 24 small letters"
                    + " and digits: ?account=NAME, or AZURE_STORAGE_ACCOUNT in the environment");
        }
        return URI.create("https://" + account + ".blob.core.windows.net");
    }

    /** A key only signs; a token that everybody on the line could read is sent to nobody. */
    private static void authorize(
            BlobContainerClientBuilder builder,
            ObjectAddress address,
            @Nullable String account,
            com.azure.core.http.HttpClient http,
            Map<String, String> environment)
            throws StoreException {
        URI endpoint = address.endpoint();
        boolean encrypted = endpoint == null || "https".equals(endpoint.getScheme());
        String key = environment.get("AZURE_STORAGE_KEY");
        String token = environment.get("AZURE_STORAGE_SAS_TOKEN");
        if (key != null) {
            builder.credential(signer(address, account, key));
        } else if (!encrypted) {
            builder.setAnonymousAccess();
        } else if (token != null) {
            builder.sasToken(token);
        } else {
            builder.credential(
                    new DefaultAzureCredentialBuilder().httpClient(http).build());
        }
    }

    private static StorageSharedKeyCredential signer(ObjectAddress address, @Nullable String account, String key)
            throws StoreException {
        if (account == null) {
            throw new StoreException(address.name() + ": AZURE_STORAGE_KEY is of no use without the name of the"
                    + " storage account: ?account=NAME, or AZURE_STORAGE_ACCOUNT in the environment");
        }
        try {
            Base64.getDecoder().decode(key);
        } catch (IllegalArgumentException e) {
            throw new StoreException(address.name() + ": AZURE_STORAGE_KEY is not of base 64");
        }
        return new StorageSharedKeyCredential(account, key);
    }

    /** Returns the context of a put: its answer comes after all bytes went, however slowly. */
    static Context patience(long bytes) {
        return new Context("azure-response-timeout", SILENCE.plusSeconds(bytes / SLOWEST_BYTES_PER_SECOND));
    }
}
