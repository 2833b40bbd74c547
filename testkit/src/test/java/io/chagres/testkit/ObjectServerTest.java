package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
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
