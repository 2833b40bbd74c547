package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("it")
class ObjectServerTest {
    @Test
    void versitygwComesBackWithItsObjects() {
        check(ObjectServer.versitygw(), true);
    }

    @Test
    void minioComesBackWithItsObjects() {
        check(ObjectServer.minio(), true);
    }

    @Test
    void fakeGcsComesBackWithItsObjects() {
        check(ObjectServer.fakeGcs(), false);
    }

    /** Killed between the bytes of an object and its attributes, it would no longer list anything. */
    @Test
    void fakeGcsListsWhatIsWholeAfterItWasKilled() throws IOException {
        try (ObjectServer server = ObjectServer.fakeGcs()) {
            server.makeBucket("bucket");
            ObjectRequests requests = new ObjectRequests(server, false);
            assertThat(requests.put(server.endpoint(), "bucket", "whole", "bytes"))
                    .isEqualTo(200);
            Path half = Files.writeString(server.folder().resolve("bucket/half"), "bytes");
            URL list = server.endpoint().resolve("/storage/v1/b/bucket/o").toURL();
            assertThat(((HttpURLConnection) list.openConnection()).getResponseCode())
                    .isEqualTo(404);

            server.restart();

            assertThat(((HttpURLConnection) list.openConnection()).getResponseCode())
                    .isEqualTo(200);
            assertThat(requests.get(server.endpoint(), "bucket", "whole")).isEqualTo("bytes");
            assertThat(half).doesNotExist();
        }
    }

    private static void check(ObjectServer started, boolean s3) {
        URI endpoint = started.endpoint();
        ObjectRequests requests = new ObjectRequests(started, s3);
        long first = started.pid();
        try (started;
                FaultProxy proxy = FaultProxy.before(endpoint)) {
            started.makeBucket("bucket");
            assertThat(requests.put(endpoint, "bucket", "a", "first")).isEqualTo(200);
            assertThat(requests.put(endpoint, "bucket", "a", "second")).isEqualTo(412);

            started.kill();
            assertThatThrownBy(() -> connect(endpoint)).isInstanceOf(ConnectException.class);
            started.restart();

            assertThat(started.endpoint()).isEqualTo(endpoint);
            assertThat(started.pid()).isNotEqualTo(first);
            assertThat(requests.get(endpoint, "bucket", "a")).isEqualTo("first");
            assertThat(requests.put(proxy.endpoint(), "bucket", "b", "signed for the proxy"))
                    .isEqualTo(200);
            assertThat(requests.get(endpoint, "bucket", "b")).isEqualTo("signed for the proxy");
            assertThat(proxy.count(FaultProxy.Kind.PUT)).isOne();
        }
        assertThat(started.folder()).doesNotExist();
        assertThat(ProcessHandle.of(started.pid())).isEmpty();
    }

    private static void connect(URI endpoint) throws IOException {
        new Socket(InetAddress.getLoopbackAddress(), endpoint.getPort()).close();
    }
}
