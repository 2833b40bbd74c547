package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.QueryArchive;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads archives in S3 by the package in {@code python}, through fsspec and a server whose objects are files. */
@Tag("it")
class PythonStoreTest {
    @TempDir
    private Path archives;

    @Test
    void readsAnArchiveInS3() throws IOException {
        PythonPackageTest.requireReader();
        Requires.pythonModule("s3fs", "s3fs==2026.9.0");
        try (ObjectServer server = ObjectServer.versitygw()) {
            server.makeBucket("archives");
            QueryArchive.write(archives.resolve("plain"), false);
            QueryArchive.write(archives.resolve("compacted"), true);
            Path bucket = server.folder().resolve("archives");
            Program.ok("cp", "-r", archives + "/plain", archives + "/compacted", bucket.toString());
            Program tests = PythonPackageTest.pytest(
                    List.of(
                            "CHAGRES_TEST_ARCHIVES=" + archives,
                            "CHAGRES_TEST_S3=" + server.endpoint(),
                            "CHAGRES_TEST_S3_KEY=" + server.accessKey(),
                            "CHAGRES_TEST_S3_SECRET=" + server.secretKey()),
                    PythonPackageTest.PACKAGE.resolve("tests/test_stores.py"));
            String said = new String(tests.out(), StandardCharsets.UTF_8);
            assertThat(tests.exitCode()).as(said + tests.err()).isZero();
            assertThat(said).contains(" passed").doesNotContain("skipped");
        }
    }
}
