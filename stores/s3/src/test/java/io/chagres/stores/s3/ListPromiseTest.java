package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who promises that lists show everything. */
class ListPromiseTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "bucket.s3.eu-west-1.amazonaws.com",
                "s3.dualstack.us-east-1.AMAZONAWS.com",
                "bucket.vpce-1a2b.s3.us-east-1.vpce.amazonaws.com",
                "bucket.s3.cn-north-1.amazonaws.com.cn"
            })
    void isGivenByAws(String host) {
        ListPromise promise = new ListPromise(null);
        assertThat(promise.isGiven()).as("nobody answered").isFalse();
        promise.heard(host);
        assertThat(promise.isGiven()).isTrue();
        promise.heard("cache.example");
        assertThat(promise.isGiven()).as("another answered, too").isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "minio", "amazonaws.com.example", "notamazonaws.com"})
    void isNotGivenByOthers(String host) {
        ListPromise promise = new ListPromise(null);
        promise.heard(host);
        assertThat(promise.isGiven()).isFalse();
    }

    @Test
    void isWhatTheAddressSays() {
        ListPromise given = new ListPromise(true);
        given.heard("minio");
        assertThat(given.isGiven()).isTrue();
        ListPromise denied = new ListPromise(false);
        denied.heard("bucket.s3.eu-west-1.amazonaws.com");
        assertThat(denied.isGiven()).isFalse();
    }
}
