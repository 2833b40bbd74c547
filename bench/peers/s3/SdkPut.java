import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** SdkPut ENDPOINT BUCKET DIRECTORY: the bare SDK puts the files below a directory, four at a time. */
final class SdkPut {
    private SdkPut() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[2]);
        try (S3Client client = S3Client.builder()
                        .httpClientBuilder(UrlConnectionHttpClient.builder())
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false))
                        .forcePathStyle(true)
                        .region(Region.US_EAST_1)
                        .endpointOverride(URI.create(args[0]))
                        .build();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> puts = files(directory).stream()
                    .<Future<?>>map(file -> threads.submit(() -> client.putObject(
                            put -> put.bucket(args[1]).key("sdk/" + directory.relativize(file)),
                            RequestBody.fromFile(file))))
                    .toList();
            for (Future<?> put : puts) {
                put.get();
            }
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }
}
