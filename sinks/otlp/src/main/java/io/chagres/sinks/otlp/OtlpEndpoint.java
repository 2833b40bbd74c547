package io.chagres.sinks.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import io.chagres.archive.store.RetryAfter;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.store.TlsFiles;
import io.chagres.forward.SinkException;
import io.chagres.linux.MonotonicClock;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** Where requests go, and how answers are understood. Safe for any thread. */
final class OtlpEndpoint implements AutoCloseable {
    static final String SCHEME = "otlp";

    private static final Pattern FORM = Pattern.compile("otlp://([^/@?#]+:[0-9]{1,5})(/[^?#]*)?");
    private static final String HEADER = "header.";
    private static final Set<String> KNOWN = Set.of(
            "tls",
            "compression",
            "timeout-ms",
            "max-value-bytes",
            TlsFiles.CA_FILE,
            TlsFiles.CLIENT_CERT,
            TlsFiles.CLIENT_KEY);
    private static final Set<Integer> BUSY = Set.of(429, 502, 503, 504);
    private static final int TOO_LARGE = 413;
    private static final int MAX_PORT = 65_535;
    private static final int DONE = 2; // hundreds of a status

    /** A collector that calls a request wrong does so again until somebody changes the cause. */
    private static final long REFUSED_RETRY_MS = 30_000;

    /** Collectors take 4 MiB by gRPC, and more by HTTP; what stands before them may take less. */
    private static final long MOST_REQUEST_BYTES = 2 << 20;

    private static final long LEAST_REQUEST_BYTES = 16 << 10;

    private final HttpClient client;
    private final URI uri;
    private final Map<String, String> headers = new TreeMap<>();
    private final boolean gzip;
    private final Duration timeout;
    private final int maxValueBytes;
    private final AtomicLong requestBytes = new AtomicLong(MOST_REQUEST_BYTES);
    private volatile long quietUntilMs = Long.MIN_VALUE;

    private OtlpEndpoint(URI uri, Map<String, String> properties) {
        this.uri = uri;
        for (Map.Entry<String, String> each : properties.entrySet()) {
            if (each.getKey().startsWith(HEADER)) {
                headers.put(each.getKey().substring(HEADER.length()), each.getValue());
            } else if (!KNOWN.contains(each.getKey())) {
                throw new IllegalArgumentException("otlp:// knows no property '" + each.getKey()
                        + "'; known are ca-file, client-cert, client-key, compression, header.NAME, max-value-bytes,"
                        + " timeout-ms and tls");
            }
        }
        gzip = switch (properties.getOrDefault("compression", "gzip")) {
            case "gzip" -> true;
            case "none" -> false;
            default -> throw new IllegalArgumentException("the property compression is gzip or none");
        };
        timeout = Duration.ofMillis(number(properties, "timeout-ms", 10_000, 1));
        maxValueBytes = number(properties, "max-value-bytes", 256 * 1024, 1);
        client = client(properties);
    }

    /** Trusts what the properties name, or else what the variables of OpenTelemetry's own exporters name. */
    private HttpClient client(Map<String, String> properties) {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(timeout);
        Map<String, String> environment = System.getenv();
        try {
            TlsFiles tls = TlsFiles.of(
                    properties,
                    List.of(
                            named(environment, "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE"),
                            named(environment, "OTEL_EXPORTER_OTLP_CERTIFICATE")),
                    environment);
            return (tls.isNamed() ? builder.sslContext(tls.context()) : builder).build();
        } catch (StoreException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static TlsFiles.Named named(Map<String, String> environment, String variable) {
        return new TlsFiles.Named(variable, environment.get(variable));
    }

    /** Reads an address and properties; the message of its failure is for people and holds no value of a header. */
    static OtlpEndpoint of(String address, Map<String, String> properties) {
        var form = FORM.matcher(address);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + address + "' is no address of OTLP; write for example otlp://collector:4318");
        }
        String tls = properties.getOrDefault("tls", "false");
        if (!tls.equals("true") && !tls.equals("false")) {
            throw new IllegalArgumentException("the property tls is true or false");
        }
        String path = form.group(2) == null ? "/v1/logs" : form.group(2);
        int port = Integer.parseInt(form.group(1).substring(form.group(1).lastIndexOf(':') + 1));
        if (port == 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("'" + address + "' names no port: it is a number from 1 to " + MAX_PORT);
        }
        URI uri = URI.create((tls.equals("true") ? "https://" : "http://") + form.group(1) + path);
        OtlpEndpoint endpoint = new OtlpEndpoint(uri, properties);
        if (!endpoint.headers.isEmpty() && tls.equals("false") && !isLoopback(uri.getHost())) {
            throw new IllegalArgumentException(
                    "headers may hold secrets, which do not go to " + uri.getHost() + " without tls=true");
        }
        return endpoint;
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static int number(Map<String, String> properties, String name, int standard, int least) {
        String text = properties.getOrDefault(name, Integer.toString(standard));
        try {
            int number = Integer.parseInt(text);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("the property " + name + " is a number from " + least + " on");
    }

    int maxValueBytes() {
        return maxValueBytes;
    }

    /** Returns how many bytes a request should hold at most; fewer once one was too large. */
    long requestBytes() {
        return requestBytes.get();
    }

    /**
     * Sends log records, unless the collector has said that it wants no request of anybody yet.
     *
     * @return what was not taken and is not to be sent again; mostly the default instance
     * @throws SinkException when it is not known that they were taken: to be tried again
     */
    ExportLogsPartialSuccess export(ExportLogsServiceRequest request) throws SinkException {
        long leftMs = quietUntilMs - MonotonicClock.nowMs();
        if (quietUntilMs != Long.MIN_VALUE && leftMs > 0) {
            throw SinkException.busy(where() + " wants no request yet", leftMs);
        }
        byte[] body = request.toByteArray();
        HttpRequest.Builder builder = HttpRequest.newBuilder(uri).timeout(timeout);
        headers.forEach(builder::header);
        builder.header("Content-Type", "application/x-protobuf");
        if (gzip) {
            builder.header("Content-Encoding", "gzip");
        }
        builder.POST(HttpRequest.BodyPublishers.ofByteArray(gzip ? compress(body) : body));
        HttpResponse<byte[]> answer;
        try {
            answer = client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new SinkException(where() + " does not answer: " + message + TlsFiles.advice(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SinkException("interrupted", e);
        }
        return understand(answer);
    }

    private ExportLogsPartialSuccess understand(HttpResponse<byte[]> answer) throws SinkException {
        int status = answer.statusCode();
        if (status == 200) {
            try {
                return ExportLogsServiceResponse.parseFrom(answer.body()).getPartialSuccess();
            } catch (InvalidProtocolBufferException e) {
                throw new SinkException(where() + " answers with something else than OTLP", REFUSED_RETRY_MS);
            }
        }
        if (status / 100 == DONE) { // some say 202 or 204 where the specification has 200: they have the lines
            return ExportLogsPartialSuccess.getDefaultInstance();
        }
        String message = where() + " answers with status " + status;
        if (BUSY.contains(status)) {
            throw SinkException.busy(message, quietMs(answer));
        }
        if (status == TOO_LARGE && requestBytes.get() > LEAST_REQUEST_BYTES) {
            requestBytes.updateAndGet(bytes -> Math.max(LEAST_REQUEST_BYTES, bytes / 2));
            throw SinkException.busy(message + ", and gets smaller requests from now on", 0);
        }
        throw new SinkException(message, REFUSED_RETRY_MS);
    }

    /** Returns how long the collector wants to be left alone, by all hosts. */
    private long quietMs(HttpResponse<byte[]> answer) {
        long ms = RetryAfter.ms(
                answer.headers().firstValue("Retry-After").orElse(null),
                answer.headers().firstValue("Date").orElse(null));
        if (ms > 0) {
            quietUntilMs = MonotonicClock.nowMs() + ms;
        }
        return ms;
    }

    private String where() {
        return "the collector at " + uri.getHost() + ":" + uri.getPort();
    }

    private static byte[] compress(byte[] body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 4 + 64);
        try (OutputStream out = new GZIPOutputStream(bytes, 1 << 16)) {
            out.write(body);
        } catch (IOException e) {
            throw new AssertionError("memory refuses bytes", e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
