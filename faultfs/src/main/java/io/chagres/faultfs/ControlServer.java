package io.chagres.faultfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes orders for a mount over a UNIX socket: one a line, answered by one line of JSON. Each connection has a thread;
 * orders may come on several at once.
 */
final class ControlServer implements AutoCloseable {
    private final FaultMount mount;
    private final RuleList rules;
    private final Path path;
    private final ServerSocketChannel socket;

    private ControlServer(FaultMount mount, RuleList rules, Path path, ServerSocketChannel socket) {
        this.mount = mount;
        this.rules = rules;
        this.path = path;
        this.socket = socket;
    }

    /**
     * Listens.
     *
     * @param path of the socket, which is made, for this user only
     * @throws IOException if it cannot be made, or is there already
     */
    static ControlServer open(FaultMount mount, RuleList rules, Path path) throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        boolean bound = false;
        try {
            socket.bind(UnixDomainSocketAddress.of(path));
            bound = true;
        } catch (IOException e) {
            throw new IOException("cannot listen at " + path + ": " + e.getMessage(), e);
        } finally {
            if (!bound) {
                socket.close();
            }
        }
        ControlServer server = new ControlServer(mount, rules, path, socket);
        Files.setAttribute(path, "unix:mode", 0600);
        Thread.ofPlatform().daemon().name("faultfs-control").start(server::accept);
        return server;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = socket.accept();
                Thread.ofVirtual().start(() -> serve(connection));
            }
        } catch (ClosedChannelException e) {
            // the end
        } catch (IOException e) {
            System.getLogger("io.chagres.faultfs").log(System.Logger.Level.ERROR, "no more orders are taken", e);
        }
    }

    private void serve(SocketChannel connection) {
        try (connection;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(connection), StandardCharsets.UTF_8));
                Writer out = new OutputStreamWriter(Channels.newOutputStream(connection), StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(answer(line.strip()) + "\n");
                out.flush();
            }
        } catch (IOException e) {
            // The client has gone.
        }
    }

    /** Carries out an order. */
    private String answer(String order) {
        try {
            if (order.startsWith("rule add ")) {
                return "{\"id\":" + rules.add(FaultRule.parse(order.substring("rule add ".length()))) + "}";
            }
            if (order.startsWith("rule remove ")) {
                String number = order.substring("rule remove ".length());
                return rules.remove(Integer.parseInt(number)) ? "{}" : error("there is no rule " + number);
            }
            return switch (order) {
                case "rule list" -> rules.json();
                case "rule clear" -> {
                    rules.clear();
                    yield "{}";
                }
                case "power-cut" -> {
                    mount.powerCut();
                    yield "{}";
                }
                default -> error("'" + order + "' is none of rule add, list, remove, clear, and power-cut");
            };
        } catch (NumberFormatException e) {
            return error("'" + order + "' needs the number of a rule");
        } catch (IllegalArgumentException | IOException e) {
            return error(String.valueOf(e.getMessage()));
        }
    }

    private static String error(String message) {
        return "{\"error\":" + Json.quoted(message) + "}";
    }

    @Override
    public void close() throws IOException {
        socket.close();
        Files.deleteIfExists(path);
    }
}
