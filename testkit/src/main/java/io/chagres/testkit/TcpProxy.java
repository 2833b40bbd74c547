package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Stands between clients and a server of any protocol and loses what the server answers: the server has done what was
 * asked, and nobody hears of it. Safe for any thread.
 */
public final class TcpProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean deaf;

    private TcpProxy(int port, int server) throws IOException {
        this.server = server;
        listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    /** Stands on a port before a server on another one of this machine. */
    public static TcpProxy between(int port, int server) {
        try {
            return new TcpProxy(port, server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
                sockets.add(client);
                sockets.add(behind);
                threads.execute(() -> pass(client, behind, false));
                threads.execute(() -> pass(behind, client, true));
            }
        } catch (IOException e) {
            cut(); // closed, or the server is away: clients come again
            if (!listener.isClosed()) {
                threads.execute(this::accept);
            }
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
                if (!answers || !deaf) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            assert e.getMessage() != null; // one of the two has gone
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    /** Loses all answers from now on. */
    public void loseAnswers() {
        deaf = true;
    }

    /** Ends all connections, whose answers are lost for ever, and passes everything on those that come. */
    public void heal() {
        cut();
        deaf = false;
    }

    private void cut() {
        for (Socket each : sockets) {
            try {
                each.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        threads.shutdownNow();
    }
}
