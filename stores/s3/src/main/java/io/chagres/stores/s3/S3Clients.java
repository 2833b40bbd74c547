package io.chagres.stores.s3;

import io.chagres.archive.store.AnswerClock;
import java.time.Duration;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Makes clients of the SDK. Stateless. */
final class S3Clients {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration READ = Duration.ofSeconds(30);

    private S3Clients() {}

    static S3Client create(S3Address address, AnswerClock clock, ListPromise promise) {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT)
                        .socketTimeout(READ))
                // every put brings the checksum of its bytes, and every read is checked against those in the log
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .overrideConfiguration(each -> {
                    each.addExecutionInterceptor(new TokenGuard());
                    each.addExecutionInterceptor(new Listener(clock));
                    each.addExecutionInterceptor(promise);
                    if (address.owner() != null) {
                        each.addExecutionInterceptor(new BucketOwner(address.owner()));
                    }
                })
                .forcePathStyle(address.pathStyle())
                .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false));
        if (address.endpoint() != null) {
            builder.endpointOverride(address.endpoint());
        }
        if (address.region() != null) {
            builder.region(Region.of(address.region()));
        } else if (address.endpoint() != null) {
            builder.region(Region.US_EAST_1); // what other makers' stores call themselves, if they have no regions
        }
        return builder.build();
    }

    /** Hears what time the server says. */
    private record Listener(AnswerClock clock) implements ExecutionInterceptor {
        @Override
        public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
            clock.hear(context.httpResponse().firstMatchingHeader("Date").orElse(null));
        }
    }
}
