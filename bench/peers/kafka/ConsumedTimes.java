import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * ConsumedTimes BROKER TOPIC OUT RECORDS: one line "append_ns seen_ns" for each line of the appender that a consumer of
 * committed records gets; ends after RECORDS of them. The topic has one partition.
 */
final class ConsumedTimes {
    private static final int TIME_DIGITS = 19;

    private ConsumedTimes() {}

    public static void main(String[] args) throws Exception {
        TopicPartition partition = new TopicPartition(args[1], 0);
        long left = Long.parseLong(args[3]);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(Map.of(
                        "bootstrap.servers", args[0],
                        "isolation.level", "read_committed",
                        "key.deserializer", ByteArrayDeserializer.class,
                        "value.deserializer", ByteArrayDeserializer.class));
                PrintStream out = new PrintStream(Files.newOutputStream(Path.of(args[2])))) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (left > 0) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
                    Instant now = Instant.now();
                    if (each.value().length > TIME_DIGITS) {
                        String time = new String(each.value(), 0, TIME_DIGITS, StandardCharsets.US_ASCII);
                        out.println(time + " " + (now.getEpochSecond() * 1_000_000_000L + now.getNano()));
                        left--;
                    }
                }
            }
        }
    }
}
