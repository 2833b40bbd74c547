package io.chagres.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingDeque;
import javax.net.ssl.SSLParameters;

/**
 * A server of HTTP on a port of the loopback interface that answers as a test says, and remembers what it was asked.
 * Safe for any thread.
 */
public final class ScriptedServer implements AutoCloseable {
    /**
     * An answer.
     *
     * @param body empty for none; a HEAD gets none either
     */
    public record Answer(int status, Map<String, String> headers, String body) {}

    private final HttpServer server;
    private final String scheme;
    private final Answer otherwise;
    private final LinkedBlockingDeque<Answer> answers = new LinkedBlockingDeque<>();
    private final Map<String, Answer> paths = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    /**
     * Starts it.
     *
     * @param otherwise the answer as long as there is no other
     */
    public ScriptedServer(Answer otherwise) {
        this.otherwise = otherwise;
        scheme = "http";
        try {
            server = HttpServer.create(loopback(), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start();
    }

    /**
     * Starts one that speaks TLS.
     *
     * @param otherwise the answer as long as there is no other
     * @param mutual whether a client must show the certificate of this identity, too
     */
    public ScriptedServer(Answer otherwise, TlsIdentity identity, boolean mutual) {
        this.otherwise = otherwise;
        scheme = "https";
        try {
            HttpsServer encrypted = HttpsServer.create(loopback(), 0);
            encrypted.setHttpsConfigurator(new HttpsConfigurator(mutual ? identity.mutual() : identity.server()) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                    wanted.setNeedClientAuth(mutual);
                    parameters.setSSLParameters(wanted);
                }
            });
            server = encrypted;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private void start() {
        server.createContext("/", this::respond);
        server.start();
    }

    /** Adds an answer behind those that are there; the last one is given again and again. */
    public void answer(Answer answer) {
        answers.add(answer);
    }

    /** Gives this answer to every request for a path, whatever the others are. */
    public void answer(String path, Answer answer) {
        paths.put(path, answer);
    }

    /** Forgets all answers. */
    public void clear() {
        answers.clear();
        paths.clear();
    }

    /**
     * Returns what was asked: method and target, then a line for each header with its name in small letters, an empty
     * line, and the body, a character for each byte.
     */
    public List<String> requests() {
        return requests;
    }

    /** Returns where it answers. */
    public URI endpoint() {
        return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
    }

    private void respond(HttpExchange exchange) throws IOException {
        remember(exchange);
        Answer ofPath = paths.get(exchange.getRequestURI().getPath());
        Answer answer = ofPath != null ? ofPath : answers.size() > 1 ? answers.poll() : answers.peek();
        answer = answer == null ? otherwise : answer;
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] body = exchange.getRequestMethod().equals("HEAD")
                ? new byte[0]
                : answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void remember(HttpExchange exchange) throws IOException {
        StringBuilder request = new StringBuilder();
        request.append(exchange.getRequestMethod()).append(' ').append(exchange.getRequestURI());
        exchange.getRequestHeaders().forEach((name, values) -> request.append('\n')
                .append(name.toLowerCase(Locale.ROOT))
                .append(": ")
                .append(values.getFirst()));
        request.append("\n\n")
                .append(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
        requests.add(request.toString());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
