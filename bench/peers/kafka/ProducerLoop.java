import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * ProducerLoop BROKER TOPIC FILE: sends the lines of a file in transactions of about as much as those of forward, with
 * the client's settings of forward; no headers, no positions, no archive.
 */
final class ProducerLoop {
    private static final int TRANSACTION_BYTES = 4 << 20;
    private static final int RECORD_BYTES = 200;

    private ProducerLoop() {}

    public static void main(String[] args) throws Exception {
        byte[] key = ("bench:" + args[2]).getBytes(StandardCharsets.UTF_8);
        byte[] buffer = new byte[1 << 20];
        int filled = 0;
        long size = 0;
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(Map.of(
                        "bootstrap.servers", args[0],
                        "transactional.id", args[1],
                        "compression.type", "zstd",
                        "linger.ms", "5",
                        "key.serializer", ByteArraySerializer.class,
                        "value.serializer", ByteArraySerializer.class));
                InputStream in = Files.newInputStream(Path.of(args[2]))) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int read = in.read(buffer); read > 0; read = in.read(buffer, filled, buffer.length - filled)) {
                filled += read;
                int start = 0;
                for (int i = filled - read; i < filled; i++) {
                    if (buffer[i] == '\n') {
                        producer.send(new ProducerRecord<>(args[1], key, Arrays.copyOfRange(buffer, start, i)));
                        size += i - start + RECORD_BYTES;
                        start = i + 1;
                    }
                }
                filled -= start;
                System.arraycopy(buffer, start, buffer, 0, filled);
                if (size >= TRANSACTION_BYTES) {
                    producer.commitTransaction();
                    producer.beginTransaction();
                    size = 0;
                }
            }
            producer.commitTransaction();
        }
    }
}
