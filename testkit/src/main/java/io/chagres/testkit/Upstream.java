package io.chagres.testkit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a {@link ProxiedConnection}: passes on what the server answers, on a thread of its own.
 * Clients of HTTP/1.1 that matter here send a request when they have the whole answer to the one before; so only the
 * beginnings of answers must be known, not their ends.
 */
final class Upstream implements Runnable {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Socket server = new Socket();
    private final Socket client;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean awaited;
    private volatile @Nullable Passing passing;

    /** Says what becomes of an answer. */
    @FunctionalInterface
    interface Passing {
        /**
         * Passes an answer on, whole or only its head: the rest then follows as it comes.
         *
         * @return whether the connection continues
         */
        boolean pass(HttpHead head, InputStream in, OutputStream out) throws IOException;
    }

    Upstream(InetSocketAddress address, Socket client) throws IOException {
        this.client = client;
        server.connect(address);
        server.setTcpNoDelay(true);
    }

    /**
     * Returns where a request is to be written.
     *
     * @param answer what happens to the answer
     */
    OutputStream expectAnswer(Passing answer) throws IOException {
        if (ended.getCount() == 0) {
            throw new SocketException("the server has closed the connection");
        }
        passing = answer;
        awaited = true;
        return server.getOutputStream();
    }

    /** Whether the answer to the newest request has begun. */
    boolean hasAnswered() {
        return !awaited;
    }

    @Override
    public void run() {
        try {
            BufferedInputStream in = new BufferedInputStream(server.getInputStream(), BUFFER_BYTES);
            OutputStream out = client.getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            while (passSome(in, out, buffer)) {}
            ended.countDown();
            client.shutdownOutput();
        } catch (IOException e) {
            ended.countDown();
            reset(client);
            close();
        }
    }

    private boolean passSome(BufferedInputStream in, OutputStream out, byte[] buffer) throws IOException {
        in.mark(1);
        if (in.read() < 0) {
            return false;
        }
        in.reset();
        if (!awaited) {
            out.write(buffer, 0, in.read(buffer));
            return true;
        }
        HttpHead head = HttpHead.read(in);
        if (head == null) {
            return false;
        }
        if (head.status() >= HttpURLConnection.HTTP_OK) {
            Passing answer = passing;
            awaited = false;
            return answer != null && answer.pass(head, in, out);
        }
        out.write(head.bytes());
        return true;
    }

    /** Tells the server that nothing more comes, and waits until it has said all. */
    void finish() throws IOException {
        try {
            if (ended.getCount() > 0) {
                server.shutdownOutput();
                ended.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            server.close();
        }
    }

    void close() {
        try {
            server.close();
        } catch (IOException e) {
            // it is gone
        }
    }

    /** Closes a connection so that the other side gets an error, not an end. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // it is gone
        }
    }
}
