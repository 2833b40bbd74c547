package io.chagres.stores.s3;

import io.chagres.archive.store.AnswerClock;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSystemSetting;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Makes clients of the SDK, which ask once: the caller decides whether to ask again, and until when. Stateless. */
final class S3Clients {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** Without a byte from the server for so long, a request has failed. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private S3Clients() {}

    /**
     * Makes a client.
     *
     * @param region null for the one that address or environment name
     */
    static S3Client create(
            S3Address address, @Nullable String region, TlsFiles tls, AnswerClock clock, ListPromise promise) {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(http(tls))
                // every put brings the checksum of its bytes, and every read is checked against those in the log
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .overrideConfiguration(each -> {
                    each.retryStrategy(AwsRetryStrategy.doNotRetry());
                    each.addExecutionInterceptor(new TokenGuard());
                    each.addExecutionInterceptor(new Listener(clock));
                    each.addExecutionInterceptor(promise);
                    each.addExecutionInterceptor(address.headers());
                })
                .forcePathStyle(address.pathStyle())
                .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false).useArnRegionEnabled(true));
        if (address.endpoint() != null) {
            builder.endpointOverride(address.endpoint());
        }
        String chosen = region != null ? region : address.region();
        if (chosen != null) {
            builder.region(Region.of(chosen));
        } else if (address.endpoint() != null) {
            builder.region(Region.US_EAST_1); // what other makers' stores call themselves, if they have no regions
        }
        return builder.build();
    }

    /** Returns how connections are made. */
    static UrlConnectionHttpClient.Builder http(TlsFiles tls) {
        UrlConnectionHttpClient.Builder http =
                UrlConnectionHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(SILENCE);
        TrustManager[] trust = tls.trustManagers();
        if (trust != null) {
            http.tlsTrustManagersProvider(() -> trust);
        }
        KeyManager[] keys = tls.keyManagers();
        if (keys != null) {
            http.tlsKeyManagersProvider(() -> keys);
        }
        return http;
    }

    /**
     * Returns the trusted certificates, by the address and where AWS's own tools look.
     *
     * @param parameters those of the address
     * @throws StoreException when a file is named and cannot be used
     */
    static TlsFiles tls(Map<String, String> parameters, Map<String, String> environment) throws StoreException {
        return TlsFiles.of(
                parameters,
                List.of(
                        new TlsFiles.Named("AWS_CA_BUNDLE", environment.get("AWS_CA_BUNDLE")),
                        new TlsFiles.Named("ca_bundle of the AWS profile", ofProfile("ca_bundle"))),
                environment);
    }

    private static @Nullable String ofProfile(String property) {
        return ProfileFile.defaultProfileFile()
                .profile(ProfileFileSystemSetting.AWS_PROFILE.getStringValueOrThrow())
                .flatMap(profile -> profile.property(property))
                .map(S3Clients::withHome)
                .orElse(null);
    }

    private static String withHome(String path) {
        return path.startsWith("~/") ? System.getProperty("user.home") + path.substring(1) : path;
    }

    /** Hears what time the server says. */
    private record Listener(AnswerClock clock) implements ExecutionInterceptor {
        @Override
        public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
            clock.hear(context.httpResponse().firstMatchingHeader("Date").orElse(null));
        }
    }
}
