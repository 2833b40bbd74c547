package io.chagres.sinks.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Pathname;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of topics, of files and hosts that others named. */
class KafkaAddressTest {
    @ParameterizedTest
    @CsvSource({
        "logs.{host}, web1, /var/log/app.log, logs.web1",
        "{dir}, web1, /var/log/app.log, var.log",
        "{dir}, web1, /app.log, _",
        "{host}, .., /app.log, __",
        "{name}, web1, /., _",
        "{name}, web1, /a b:c, a_b_c",
        "{host}, ., /a, _",
    })
    void isOneThatABrokerTakes(String form, String host, String path, String topic) {
        assertThat(KafkaAddress.parse("kafka://broker1:9092/" + form).topic(host, Pathname.of(path)))
                .isEqualTo(topic);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "b1:9092,b2:9093",
                "[::1]:9092",
                "10.0.0.1:1",
                "my_broker-1.example:65535",
                "b1:9092,[fe80::1%eth0]:9"
            })
    void hasBrokersWithPorts(String brokers) {
        assertThat(KafkaAddress.parse("kafka://" + brokers + "/logs").brokers()).isEqualTo(brokers);
    }

    /** Kafka's own clients say so only when they connect, which is tried again for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"b1", "b1:", "b1:x", "b1:0", "b1:65536", "b1:9092,", ",b1:9092", "b1:9092,b2", "b 1:9092"})
    void refusesBrokersThatThereCannotBe(String brokers) {
        assertThatThrownBy(() -> KafkaAddress.parse("kafka://" + brokers + "/logs"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no broker of Kafka; write HOST:PORT");
    }
}
