package io.chagres.sinks.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
