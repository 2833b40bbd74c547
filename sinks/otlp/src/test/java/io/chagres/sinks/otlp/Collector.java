package io.chagres.sinks.otlp;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.zip.GZIPInputStream;

/** A collector on loopback, which answers as a test says, and takes what it answers with 200. Safe for any thread. */
public final class Collector implements AutoCloseable {
    /** An answer: a status, a header Retry-After or none, a body. */
    public record Answer(int status, String retryAfter, byte[] body) {
        static final Answer OK = of(200);

        /** Makes one with a status alone. */
        public static Answer of(int status) {
            return new Answer(status, "", new byte[0]);
        }

        static Answer refused(long records, String message) {
            ExportLogsServiceResponse.Builder response = ExportLogsServiceResponse.newBuilder();
            response.getPartialSuccessBuilder().setRejectedLogRecords(records).setErrorMessage(message);
            return new Answer(200, "", response.build().toByteArray());
        }
    }

    /** The requests that it took. */
    public final List<ExportLogsServiceRequest> taken = Collections.synchronizedList(new ArrayList<>());

    final List<String> headers = Collections.synchronizedList(new ArrayList<>());

    /** The next answers; afterwards all is well. */
    public final Deque<Answer> answers = new ConcurrentLinkedDeque<>();

    private final HttpServer server;

    /** Starts it. */
    public Collector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/logs", this::answer);
        server.start();
    }

    /** Returns its address for {@code --to}. */
    public String address() {
        return "otlp://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            headers.add(exchange.getRequestMethod() + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                    + exchange.getRequestHeaders().getFirst("X-Token"));
            boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
            ExportLogsServiceRequest request;
            try (InputStream body = gzip ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
                request = ExportLogsServiceRequest.parseFrom(body);
            }
            Answer next = Objects.requireNonNullElse(answers.poll(), Answer.OK);
            if (next.status / 100 == 2) {
                taken.add(request);
            }
            if (!next.retryAfter.isEmpty()) {
                exchange.getResponseHeaders().add("Retry-After", next.retryAfter);
            }
            exchange.sendResponseHeaders(next.status, next.body.length == 0 ? -1 : next.body.length);
            exchange.getResponseBody().write(next.body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
