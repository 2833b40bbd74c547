package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people write who mean an archive. */
final class StoreAddressTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            quoteCharacter = '`',
            value = {
                "s3:/bucket/x|s3://bucket/x?",
                "gs:/bucket|gs://bucket?",
                "s3//bucket/x|s3://bucket/x?",
                "s3;//bucket/x|s3://bucket/x?",
                "s3:bucket|s3://bucket?",
                "s3:\\\\bucket\\x|s3://bucket/x?",
                "S3://bucket/x|s3://bucket/x?",
                "Azblob://bucket/x|azblob://bucket/x?",
                "s4://bucket/x|s3://bucket/x?",
                "s3a://bucket|s3://bucket?",
                "gcs://bucket/x|gs://bucket/x?",
                "az://container/x|azblob://container/x?",
                "azbolb://container/x|azblob://container/x?",
                "file:/x|file:///x?",
                "file:x|file:///x?",
                "file://x/y|file:///x/y?",
                "File:///x|file:///x?",
                "https://bucket.s3.eu-west-1.amazonaws.com/a/b|s3://bucket/a/b?region=eu-west-1",
                "https://bucket.s3.amazonaws.com/a|s3://bucket/a?",
                "https://s3.us-east-2.amazonaws.com/bucket/a|s3://bucket/a?region=us-east-2",
                "https://storage.googleapis.com/bucket/a|gs://bucket/a?",
                "https://me.blob.core.windows.net/box/a|azblob://box/a?account=me",
                "http://minio:9000/x|s3://BUCKET/x?endpoint=http://minio:9000",
                " s3://bucket/x|s3://bucket/x?",
                "s3://bucket/x |s3://bucket/x?",
                "/mnt/archive |/mnt/archive?",
                "\"s3://bucket/x\"|s3://bucket/x?",
                "/s3://bucket/x|s3://bucket/x?",
                "kafka:/b:9092/t|kafka://b:9092/t?",
                "C:\\archive|a path",
                "host:/archive|a path",
                "://bucket|a path",
                "'/mnt/archive'|a path",
                "~/archive|as it is",
                "$HOME/archive|as it is",
            })
    void refusesWhatLooksLikeAnAddressAndNamesTheNearest(String text, String nearest) {
        assertThatThrownBy(() -> StoreAddress.parse(text))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(nearest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t ", "file:", "file://"})
    void refusesAnArchiveWithoutAPath(String text) {
        assertThatThrownBy(() -> StoreAddress.parse(text))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("has no path");
    }

    @ParameterizedTest
    @CsvSource({
        "/mnt/archive,/mnt/archive",
        "archive,archive",
        "archive/s3:/x,archive/s3:/x",
        "archive//x,archive//x",
        "/mnt/s3:/x,/mnt/s3:/x",
        "./s3:/x,./s3:/x",
        "./s3://x,./s3://x",
        "../s3:/x,../s3:/x",
        ".,.",
        "..,..",
        ".hidden,.hidden",
        "file:///s3://x,/s3://x",
        "file:///mnt/archive,/mnt/archive",
    })
    void takesPaths(String text, String path) throws IOException {
        assertThat(BlobStores.check(text)).isEqualTo(new StoreAddress(text, null, path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3:///x", "gs://", "azblob:///x", "s3://bucket/../x", "nope://bucket", "sftp://host/x"})
    void checksWhatOnlyTheSchemeKnows(String text) {
        assertThatThrownBy(() -> BlobStores.check(text)).isInstanceOf(StoreException.class);
    }

    @Test
    void showsNoSecretOfWhatItRefuses() {
        assertThatThrownBy(() -> StoreAddress.parse("s3:/me:hunter2@bucket/x?secret=hunter3"))
                .hasMessageNotContaining("hunter")
                .hasMessageContaining("bucket");
        assertThatThrownBy(() -> StoreAddress.parse("S3://hunter2@bucket")).hasMessageNotContaining("hunter");
    }

    @Test
    void makesNothing(@TempDir Path directory) throws IOException {
        Path mistaken = Path.of("s3:");
        assertThatThrownBy(() -> BlobStores.open("s3:/bucket/x", true)).isInstanceOf(StoreException.class);
        assertThat(mistaken).doesNotExist();
        String colon = "file://" + directory.resolve("s3:/x");
        try (BlobStore store = BlobStores.open(colon, true)) {
            assertThat(store.name()).isEqualTo(directory.resolve("s3:/x").toString());
        }
        try (Stream<Path> made = Files.list(directory)) {
            assertThat(made).hasSize(1);
        }
    }
}
