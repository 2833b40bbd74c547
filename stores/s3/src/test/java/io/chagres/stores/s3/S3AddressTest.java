package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text in, fields out. */
class S3AddressTest {
    @Test
    void readsABucketAlone() throws IOException {
        S3Address address = S3Address.parse("s3://bucket");
        assertThat(address).isEqualTo(new S3Address("bucket", "", null, null, null, false, null, "s3://bucket"));
    }

    @Test
    void readsPrefixAndParameters() throws IOException {
        S3Address address =
                S3Address.parse("s3://b.u-1/a//b c?region=eu-west-1&owner=123456789012&endpoint=http://127.0.0.1:9000"
                        .replace(" c", "_c"));
        assertThat(address)
                .isEqualTo(new S3Address(
                        "b.u-1",
                        "a/b_c/",
                        URI.create("http://127.0.0.1:9000"),
                        "eu-west-1",
                        "123456789012",
                        true,
                        null,
                        "s3://b.u-1/a/b_c?endpoint=http://127.0.0.1:9000"));
        assertThat(S3Address.parse("s3://bu/?endpoint=https%3A%2F%2Fs3.example&path-style=false")
                        .pathStyle())
                .isFalse();
    }

    /** What is refused may be a secret: no message repeats it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://",
                "s3://key:SECRET@bucket/p",
                "s3://bucket/a/../SECRET",
                "s3://bucket/SECRET x",
                "s3://bucket?secret=SECRET",
                "s3://bucket?owner=:SECRET",
                "s3://bucket?consistent-lists=SECRET",
                "s3://bucket?endpoint=http://u:SECRET@host",
                "s3://bucket?endpoint=ftp://SECRET",
                "s3://bucket?endpoint=http://host?token=SECRET",
                "s3://bucket?endpoint=:SECRET"
            })
    void refusesWhatIsNoAddress(String text) {
        assertThatThrownBy(() -> S3Address.parse(text))
                .isInstanceOf(StoreException.class)
                .hasMessageNotContaining("SECRET");
    }
}
