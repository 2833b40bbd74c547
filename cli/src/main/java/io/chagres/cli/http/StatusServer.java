package io.chagres.cli.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Serves a {@link Board}: {@code /metrics}, {@code /healthz}, {@code /readyz}, {@code /status.json} and a page.
 * It only tells: nothing can be changed through it. Without a token it listens on this machine alone, and answers only
 * those who ask for this machine by name or number: a page of elsewhere whose name leads here is refused. Its threads
 * are those it is given and one of the JDK's server.
 */
public final class StatusServer implements AutoCloseable {
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int MISDIRECTED = 421;
    private static final int UNAVAILABLE = 503;
    private static final int BACKLOG = 16;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PAGE = "/";

    private static final String POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
            + " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final HttpServer server;
    private final Board board;
    private final byte @Nullable [] token;
    private final String host;
    private final Set<String> names;

    private StatusServer(HttpServer server, Board board, byte @Nullable [] token, String host) {
        this.server = server;
        this.board = board;
        this.token = token;
        this.host = host;
        names = Set.of("localhost", "127.0.0.1", "[::1]", "::1").contains(host)
                ? Set.of("localhost", "127.0.0.1", "[::1]")
                : Set.of("localhost", host);
    }

    /**
     * Begins to serve.
     *
     * @param address {@code ADDRESS:PORT}; port 0 takes a free one
     * @param token what those who ask must know, or null
     * @param threads answer; two are enough
     * @throws CommandFailure when the address is none, or is open to others and there is no token
     */
    public static StatusServer open(String address, @Nullable String token, Board board, ExecutorService threads)
            throws IOException {
        InetAddress to = check(address, token);
        URI uri = parsed(address);
        System.setProperty("sun.net.httpserver.maxReqTime", "10"); // seconds; a slow sender holds no thread
        System.setProperty("sun.net.httpserver.maxRspTime", "10");
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(to, uri.getPort()), BACKLOG);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    "cannot listen at " + address + ": " + e.getMessage() + ". Nothing was done; choose another port");
        }
        byte[] secret = token == null ? null : token.getBytes(StandardCharsets.UTF_8);
        StatusServer serving = new StatusServer(server, board, secret, uri.getHost());
        server.createContext("/", serving::answer);
        server.setExecutor(threads);
        server.start();
        return serving;
    }

    /** Returns where to listen; throws what {@link #open} does before it listens. */
    static InetAddress check(String address, @Nullable String token) throws IOException {
        InetAddress to;
        try {
            to = InetAddress.getByName(parsed(address).getHost());
        } catch (UnknownHostException e) {
            throw new CommandFailure(
                    ExitCode.USAGE, "the address " + address + " is not known here; take 127.0.0.1:7788");
        }
        if (!to.isLoopbackAddress() && token == null) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "listening at " + address
                            + " would tell everybody who reaches it: give a token by --http-token FILE or"
                            + " CHAGRES_HTTP_TOKEN, or listen on 127.0.0.1");
        }
        return to;
    }

    static URI parsed(String address) throws CommandFailure {
        try {
            URI uri = new URI("http://" + address);
            boolean plain = uri.getHost() != null
                    && uri.getPort() >= 0
                    && uri.getRawPath().isEmpty();
            if (plain && uri.getUserInfo() == null && uri.getQuery() == null && uri.getPort() <= 0xffff) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // said below
        }
        throw new CommandFailure(
                ExitCode.USAGE, "what to listen at is ADDRESS:PORT, as 127.0.0.1:7788, not '" + address + "'");
    }

    /** Returns where it listens, {@code http://ADDRESS:PORT/}. */
    public String address() {
        return "http://" + host + ":" + server.getAddress().getPort() + "/";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!isForHere(exchange.getRequestHeaders().getFirst("Host"))) {
                send(exchange, MISDIRECTED, TEXT, "this is not the machine you asked for\n");
            } else if (!isKnown(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"chagres\", charset=\"UTF-8\"");
                send(exchange, UNAUTHORIZED, TEXT, "the token is missing or another\n");
            } else if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, NOT_ALLOWED, TEXT, "nothing can be changed here\n");
            } else {
                serve(exchange, exchange.getRequestURI().getPath());
            }
        }
    }

    private void serve(HttpExchange exchange, String path) throws IOException {
        switch (path) {
            case PAGE -> send(exchange, OK, "text/html; charset=utf-8", board.page());
            case "/status.json" -> send(exchange, OK, "application/json", board.json());
            case "/metrics" -> metrics(exchange);
            case "/healthz" -> health(exchange, board.ailment());
            case "/readyz" -> health(exchange, board.ailment() == null ? board.obstacle() : board.ailment());
            default -> send(exchange, NOT_FOUND, TEXT, "there are /, /metrics, /healthz, /readyz and /status.json\n");
        }
    }

    private void metrics(HttpExchange exchange) throws IOException {
        Metrics metrics = board.metrics();
        if (metrics == null) {
            send(exchange, UNAVAILABLE, TEXT, "not yet: " + board.obstacle() + "\n");
            return;
        }
        String accept = exchange.getRequestHeaders().getFirst("Accept");
        boolean open = accept != null && accept.contains("application/openmetrics-text");
        send(exchange, OK, open ? Metrics.OPEN_METRICS : Metrics.PROMETHEUS, metrics.text(open));
    }

    private static void health(HttpExchange exchange, @Nullable String trouble) throws IOException {
        send(exchange, trouble == null ? OK : UNAVAILABLE, TEXT, trouble == null ? "ok\n" : trouble + "\n");
    }

    /** Says whether who asks means this machine: with a token he need not. */
    private boolean isForHere(@Nullable String host) {
        if (token != null) {
            return true;
        }
        if (host == null) {
            return false;
        }
        String name = host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT);
        return names.contains(name);
    }

    private boolean isKnown(@Nullable String authorization) {
        if (token == null) {
            return true;
        }
        String given = authorization == null ? "" : authorization;
        byte[] offered = new byte[0];
        if (given.startsWith("Bearer ")) {
            offered = given.substring("Bearer ".length()).getBytes(StandardCharsets.UTF_8);
        } else if (given.startsWith("Basic ")) {
            offered = password(given.substring("Basic ".length()));
        }
        return MessageDigest.isEqual(token, offered); // takes as long whatever is wrong
    }

    private static byte[] password(String encoded) {
        try {
            String pair = new String(Base64.getDecoder().decode(encoded.strip()), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1).getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static void send(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Content-Security-Policy", POLICY);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(code, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
