package io.chagres.stores.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text in, fields out. */
class S3AddressTest {
    @Test
    void readsABucketAlone() throws IOException {
        S3Address address = S3Address.parse("s3://bucket");
        assertThat(address.bucket()).isEqualTo("bucket");
        assertThat(address.prefix()).isEmpty();
        assertThat(address.endpoint()).isNull();
        assertThat(address.region()).isNull();
        assertThat(address.pathStyle()).isFalse();
        assertThat(address.consistentLists()).isNull();
        assertThat(address.name()).isEqualTo("s3://bucket");
        assertThat(address.headers()).isEqualTo(new S3Headers(Map.of(), Map.of(), null, ""));
    }

    @Test
    void readsPrefixAndParameters() throws IOException {
        S3Address address =
                S3Address.parse("s3://b.u-1/a//b c?region=eu-west-1&owner=123456789012&endpoint=http://127.0.0.1:9000");
        assertThat(address.bucket()).isEqualTo("b.u-1");
        assertThat(address.prefix()).isEqualTo("a/b c/");
        assertThat(address.endpoint()).isEqualTo(URI.create("http://127.0.0.1:9000"));
        assertThat(address.region()).isEqualTo("eu-west-1");
        assertThat(address.pathStyle()).isTrue();
        assertThat(address.headers().ofAll()).containsValue("123456789012");
        assertThat(address.name()).isEqualTo("s3://b.u-1/a/b c?endpoint=http://127.0.0.1:9000");
        assertThat(S3Address.parse("s3://bu/?endpoint=https%3A%2F%2Fs3.example&path-style=false")
                        .pathStyle())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "arn:aws:s3:eu-west-1:123456789012:accesspoint/mine",
                "arn:aws:s3:eu-west-1:123456789012:accesspoint:mine",
                "arn:aws-cn:s3-object-lambda:eu-west-1:123456789012:accesspoint/mine",
                "arn:aws:s3-outposts:eu-west-1:123456789012:outpost/op-1/accesspoint/mine"
            })
    void takesAnAccessPointForABucket(String arn) throws IOException {
        S3Address address = S3Address.parse("s3://" + arn + "/logs/a");
        assertThat(address.bucket()).isEqualTo(arn);
        assertThat(address.prefix()).isEqualTo("logs/a/");
        assertThat(address.region()).isEqualTo("eu-west-1");
        assertThat(S3Address.parse("s3://" + arn).prefix()).isEmpty();
        assertThat(S3Address.parse("s3://" + arn + "?endpoint=http://h").pathStyle())
                .isFalse();
    }

    @Test
    void givesAKeyOfKmsItsEncryption() throws IOException {
        assertThat(S3Address.parse("s3://bucket?kms-key=alias/logs").headers().ofObjects())
                .containsEntry("x-amz-server-side-encryption", "aws:kms")
                .containsEntry("x-amz-server-side-encryption-aws-kms-key-id", "alias/logs");
    }

    /** Compaction reads back what it writes, and nothing can be read there. */
    @ParameterizedTest
    @ValueSource(strings = {"GLACIER", "DEEP_ARCHIVE"})
    void refusesAStorageClassThatNobodyReads(String name) {
        assertThatThrownBy(() -> S3Address.parse("s3://bucket?storage-class=" + name))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("GLACIER_IR");
    }

    /** A refused text may be a secret: no message repeats it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://",
                "s3://key:SECRET@bucket/p",
                "s3://bucket/a/../SECRET",
                "s3://bucket/SECRET\u0007x",
                "s3://bucket/ SECRET",
                "s3://bucket?x=%SECRET",
                "s3://bucket?region=evil.example/SECRET",
                "s3://bucket?sse=SECRET",
                "s3://bucket?sse=AES256&kms-key=SECRET",
                "s3://bucket?kms-key=SECRET%0a",
                "s3://bucket?acl=SECRET%0a",
                "s3://bucket?tags=SECRET",
                "s3://bucket?tags=a=SECRET,a=2",
                "s3://bucket?requester-pays=SECRET",
                "s3://arn:aws:s3:eu-west-1:123456789012:job/SECRET",
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
