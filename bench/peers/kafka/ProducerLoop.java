import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * ProducerLoop BROKER TOPIC FILE SETTINGS HEADERS: sends the lines of a file in transactions of as many bytes as those
 * of forward, with the producer's settings in the file SETTINGS; with HEADERS "all" each record has the seven headers
 * that forward gives it, with "none" none. No positions, no archive.
 */
final class ProducerLoop {
    private static final int TRANSACTION_BYTES = 4 << 20;
    private static final List<Header> SHARED = List.of(
            header("host", "bench"),
            header("host-id", "0123456789abcdef0123456789abcdef"),
            header("path", "/srv/bench/big/app.log"),
            header("version", "4294967296"),
            header("file", "0123456789abcdef0123456789abcdef:1234567:1234567890"),
            header("committed-ms", "1790000000000"));

    private ProducerLoop() {}

    private static Header header(String name, String value) {
        return new RecordHeader("chagres." + name, value.getBytes(StandardCharsets.UTF_8));
    }

    public static void main(String[] args) throws Exception {
        boolean headers = args[4].equals("all");
        byte[] key = ("bench:" + args[2]).getBytes(StandardCharsets.UTF_8);
        byte[] buffer = new byte[1 << 20];
        int filled = 0;
        long size = 0;
        long position = 0;
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings(args));
                InputStream in = Files.newInputStream(Path.of(args[2]))) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int read = in.read(buffer); read > 0; read = in.read(buffer, filled, buffer.length - filled)) {
                filled += read;
                int start = 0;
                for (int i = filled - read; i < filled; i++) {
                    if (buffer[i] == '\n') {
                        byte[] value = Arrays.copyOfRange(buffer, start, i);
                        List<Header> all = headers ? headers(position + start) : List.of();
                        producer.send(new ProducerRecord<>(args[1], null, null, key, value, all));
                        size += i - start + 1;
                        start = i + 1;
                    }
                }
                position += start;
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

    private static List<Header> headers(long offset) {
        Header[] all = SHARED.toArray(new Header[SHARED.size() + 1]);
        all[SHARED.size()] = header("offset", Long.toString(offset));
        return Arrays.asList(all);
    }

    private static Map<String, Object> settings(String[] args) throws Exception {
        Properties read = new Properties();
        try (InputStream in = Files.newInputStream(Path.of(args[3]))) {
            read.load(in);
        }
        Map<String, Object> all = new HashMap<>();
        read.stringPropertyNames().forEach(name -> all.put(name, read.getProperty(name)));
        all.put("bootstrap.servers", args[0]);
        all.put("transactional.id", args[1]);
        all.put("key.serializer", ByteArraySerializer.class);
        all.put("value.serializer", ByteArraySerializer.class);
        return all;
    }
}
