package io.chagres.sinks.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.TlsIdentity;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings that the clients get. */
@Tag("long")
class KafkaSettingsTest {
    private static Map<String, Object> producer(Map<String, String> properties) {
        return new KafkaSettings("test", properties).producer("b:9092", "id");
    }

    @Test
    void batchesAreLargeAndTheBufferIsSmall() {
        assertThat(producer(Map.of()))
                .containsEntry("batch.size", "131072")
                .containsEntry("buffer.memory", "8388608")
                .containsEntry("compression.type", "zstd");
    }

    @Test
    void theBufferHoldsTheLargestRequest() {
        assertThat(producer(Map.of("max.request.size", "67108864"))).containsEntry("buffer.memory", "134217728");
        assertThat(producer(Map.of("batch.size", "8388608"))).containsEntry("buffer.memory", "16777216");
    }

    @Test
    void whatTheUserSaysStays() {
        assertThat(producer(Map.of("batch.size", "1000", "buffer.memory", "2000000", "linger.ms", "0")))
                .containsEntry("batch.size", "1000")
                .containsEntry("buffer.memory", "2000000")
                .containsEntry("linger.ms", "0");
    }

    @Test
    void ourOwnPropertiesAreNotForKafka() {
        Map<String, String> ours = Map.of(KafkaSettings.HEADERS, "", KafkaSettings.POSITIONS_TOPIC, "p");
        assertThat(producer(ours)).doesNotContainKeys(KafkaSettings.HEADERS, KafkaSettings.POSITIONS_TOPIC);
    }

    @Test
    void trustsWhomTheShipIsTold(@TempDir Path directory) {
        String file = TlsIdentity.in(directory).certificate().toString();
        assertThat(producer(Map.of("ca-file", file, "security.protocol", "SASL_SSL")))
                .containsEntry("ssl.truststore.type", "PEM")
                .containsEntry("ssl.truststore.location", file)
                .doesNotContainKey("ca-file");
        assertThat(producer(Map.of("ca-file", file))).doesNotContainKeys("ssl.truststore.type", "ca-file");
        assertThat(producer(Map.of("security.protocol", "SSL", "ca-file", file, "ssl.truststore.location", "/own")))
                .containsEntry("ssl.truststore.location", "/own")
                .doesNotContainKey("ssl.truststore.type");
        assertThatThrownBy(() -> producer(Map.of("ca-file", "/no/such", "security.protocol", "SSL")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/no/such, which does not exist");
    }
}
