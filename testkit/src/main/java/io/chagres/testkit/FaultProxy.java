package io.chagres.testkit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Stands on a port of its own between clients and a server of plain HTTP/1.1, and spoils what passes by rules that a
 * test sets and takes back as it runs. Everything else passes byte for byte, the Host header too, so that signatures
 * stay valid. Safe for any thread.
 */
public final class FaultProxy implements AutoCloseable {
    /** The purpose of a request, as stores of objects count and bill them. */
    public enum Kind {
        /** Writes an object; in GCS, a POST to {@code /upload/}. */
        PUT,
        GET,
        HEAD,
        /** Lists objects, a GET in itself. */
        LIST,
        DELETE,
        OTHER;

        /** As S3, Google Cloud Storage and Azure Blob Storage list. */
        private static final String LISTS =
                "[^?]*\\?(.*&)?list-type=.*|/storage/v1/b/[^/]+/o(\\?.*)?|[^?]*\\?(.*&)?comp=list(&.*)?";

        static Kind of(String method, String target) {
            return switch (method) {
                case "PUT" -> PUT;
                case "POST" -> target.startsWith("/upload/") ? PUT : OTHER;
                case "GET" -> target.matches(LISTS) ? LIST : GET;
                case "HEAD" -> HEAD;
                case "DELETE" -> DELETE;
                default -> OTHER;
            };
        }
    }

    private static final int BACKLOG = 512;

    private final InetSocketAddress server;
    private final int port = Ports.free();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<ProxyRule> rules = new CopyOnWriteArrayList<>();
    private final Map<Kind, LongAdder> kinds = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> methods = new ConcurrentHashMap<>();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listener;

    private FaultProxy(InetSocketAddress server) {
        this.server = server;
        accept();
    }

    /** Stands before a server, which need not run yet. */
    public static FaultProxy before(URI server) {
        return new FaultProxy(new InetSocketAddress(server.getHost(), server.getPort()));
    }

    /** Returns where clients reach it, in place of the server. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /**
     * Begins a rule, which the next calls complete. Of several that match a request, the oldest holds.
     *
     * @param only the kinds of requests it is for; none for all
     */
    public ProxyRule on(Kind... only) {
        return new ProxyRule(this, only.length == 0 ? EnumSet.allOf(Kind.class) : EnumSet.copyOf(List.of(only)));
    }

    /** Ends all rules and accepts connections: from now on it only passes bytes. */
    public void heal() {
        rules.forEach(ProxyRule::remove);
        rules.clear();
        accept();
    }

    /** Refuses new connections, as a server that is down does, and cuts those there are. */
    public synchronized void refuse() {
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            listener = null;
        }
        connections.forEach(ProxiedConnection::reset);
    }

    /** Accepts connections again after {@link #refuse}. */
    public synchronized void accept() {
        if (listener == null) {
            try {
                ServerSocket socket = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
                listener = socket;
                threads.execute(() -> acceptAll(socket));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void acceptAll(ServerSocket socket) {
        try {
            while (true) {
                admit(socket.accept(), socket);
            }
        } catch (IOException e) {
            // closed: connections are refused
        }
    }

    private synchronized void admit(Socket client, ServerSocket from) throws IOException {
        ProxiedConnection connection = new ProxiedConnection(this, client);
        if (from != listener) {
            connection.reset();
            return;
        }
        connections.add(connection);
        threads.execute(() -> {
            connection.run();
            connections.remove(connection);
        });
    }

    /** Connects to the server for a client. */
    Upstream connect(Socket client) throws IOException {
        Upstream upstream = new Upstream(server, client);
        try {
            threads.execute(upstream);
            return upstream;
        } catch (RejectedExecutionException e) {
            upstream.close();
            throw new IOException("the proxy is closed", e);
        }
    }

    /** Sends a request on a connection of its own and waits for the answer, which nobody gets. */
    void send(HeldRequest request) throws IOException {
        try (Socket connection = new Socket()) {
            connection.connect(server);
            request.writeTo(connection.getOutputStream());
            InputStream in = new BufferedInputStream(connection.getInputStream());
            HttpHead answer = HttpHead.read(in);
            while (answer != null && answer.status() < HttpURLConnection.HTTP_OK) {
                answer = HttpHead.read(in);
            }
        }
    }

    void add(ProxyRule rule) {
        rules.add(rule);
    }

    /** Counts a request, and returns the rule that holds for it. */
    @Nullable
    ProxyRule meet(HttpHead head) {
        Kind kind = Kind.of(head.method(), head.target());
        kinds.computeIfAbsent(kind, key -> new LongAdder()).increment();
        methods.computeIfAbsent(head.method(), key -> new LongAdder()).increment();
        return rules.stream().filter(rule -> rule.takes(kind, head)).findFirst().orElse(null);
    }

    /** Returns how many requests of a kind have come, answered or not. */
    public long count(Kind kind) {
        LongAdder count = kinds.get(kind);
        return count == null ? 0 : count.sum();
    }

    /** Returns how many requests of a method have come, answered or not. */
    public long count(String method) {
        LongAdder count = methods.get(method);
        return count == null ? 0 : count.sum();
    }

    /** Returns how many requests have come, answered or not. */
    public long count() {
        return kinds.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Counts from zero again. */
    public void resetCounts() {
        kinds.clear();
        methods.clear();
    }

    /** Cuts all connections and gives the port back. */
    @Override
    public void close() {
        rules.forEach(ProxyRule::remove);
        refuse();
        threads.shutdownNow();
        threads.close();
    }
}
