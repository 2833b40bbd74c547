package io.chagres.testkit;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to a {@link FaultProxy}: reads its requests one after the other and passes each on, or does
 * to it what a rule says. The server's answers take their own way, an {@link Upstream}.
 */
final class ProxiedConnection implements Runnable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int LINGER_MS = 2_000;
    private static final Upstream.Passing AS_IT_IS = (head, in, out) -> {
        out.write(head.bytes());
        return true;
    };

    private final FaultProxy proxy;
    private final Socket client;
    private volatile @Nullable Upstream upstream;

    ProxiedConnection(FaultProxy proxy, Socket client) {
        this.proxy = proxy;
        this.client = client;
    }

    @Override
    public void run() {
        try {
            client.setTcpNoDelay(true);
            BufferedInputStream in = new BufferedInputStream(client.getInputStream(), BUFFER_BYTES);
            boolean open = true;
            while (open) {
                HttpHead head = HttpHead.read(in);
                open = head != null && serve(head, in);
            }
            Upstream answering = upstream;
            if (answering != null) {
                answering.finish();
            }
            client.close();
        } catch (IOException e) {
            // One side is gone. The other learns it as it would without a proxy.
            reset();
        }
    }

    /** Does one request; returns whether the connection can have another. */
    private boolean serve(HttpHead head, BufferedInputStream in) throws IOException {
        ProxyRule rule = proxy.meet(head);
        if (rule == null) {
            return pass(head, in, AS_IT_IS, Long.MAX_VALUE);
        }
        switch (rule.fault()) {
            case ProxyRule.Fault.Delay(Duration time) -> {
                pause(rule, time);
                rule.countApplied();
                return pass(head, in, AS_IT_IS, Long.MAX_VALUE);
            }
            case ProxyRule.Fault.Lag(Duration time) -> {
                rule.countApplied();
                return pass(head, in, new ListingFilter(time), Long.MAX_VALUE);
            }
            case ProxyRule.Fault.Answer(int status, String code) -> {
                boolean open = answer(head, in, status, code);
                rule.countApplied();
                return open;
            }
            case ProxyRule.Fault.LoseResponse() -> {
                return pass(head, in, instead(() -> lose(rule)), Long.MAX_VALUE);
            }
            case ProxyRule.Fault.Repeat() -> {
                HeldRequest request = HeldRequest.read(head, in, client.getOutputStream());
                proxy.send(request);
                rule.countApplied();
                return pass(request.head(), new BufferedInputStream(request.in()), AS_IT_IS, Long.MAX_VALUE);
            }
            case ProxyRule.Fault.Late(Duration time) -> {
                HeldRequest request = HeldRequest.read(head, in, client.getOutputStream());
                Upstream.reset(client);
                pause(rule, time);
                proxy.send(request);
                rule.countApplied();
                throw new EOFException("the client was sent away");
            }
            case ProxyRule.Fault.ForbidMissing() -> {
                return pass(head, in, new ForbiddenIfMissing(rule, head.method()), Long.MAX_VALUE);
            }
            case ProxyRule.Fault.DamageAnswer(boolean isCut) -> {
                return pass(head, in, new DamagedAnswer(rule, isCut), Long.MAX_VALUE);
            }
            case ProxyRule.Fault.Cut(long afterBytes) -> {
                try {
                    pass(head, in, instead(this::reset), afterBytes);
                } finally {
                    reset();
                    rule.countApplied();
                }
                return false;
            }
        }
    }

    private static Upstream.Passing instead(Runnable fault) {
        return (head, in, out) -> {
            fault.run();
            return false;
        };
    }

    private void lose(ProxyRule rule) {
        try {
            client.close();
        } catch (IOException e) {
            // it is gone
        }
        reset();
        rule.countApplied();
    }

    private static void pause(ProxyRule rule, Duration time) throws InterruptedIOException {
        try {
            rule.pause(time);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the proxy closes");
        }
    }

    /**
     * Passes a request on.
     *
     * @param passing what happens to the server's answer
     * @param limitBytes how much of the body is passed on
     */
    private boolean pass(HttpHead head, BufferedInputStream in, Upstream.Passing passing, long limitBytes)
            throws IOException {
        Upstream to = upstream;
        if (to == null) {
            to = proxy.connect(client);
            upstream = to;
        }
        OutputStream out = to.expectAnswer(passing);
        out.write(head.bytes());
        if (head.expectsContinue() && isRefused(in, to)) {
            return true;
        }
        try {
            RequestBody.copy(head, in, out, limitBytes);
            return true;
        } catch (IOException e) {
            linger(in);
            throw e;
        }
    }

    /** Waits for the body; returns whether the answer came first, after which clients send none. */
    private static boolean isRefused(BufferedInputStream in, Upstream to) throws IOException {
        in.mark(1);
        if (in.read() < 0) {
            return true;
        }
        in.reset();
        return to.hasAnswered();
    }

    /** Answers in the server's place; returns whether the connection can have another request. */
    private boolean answer(HttpHead head, BufferedInputStream in, int status, String code) throws IOException {
        boolean open = !head.expectsContinue();
        if (open) {
            RequestBody.copy(head, in, OutputStream.nullOutputStream(), Long.MAX_VALUE);
        }
        OutputStream out = client.getOutputStream();
        out.write(refusal(head.method(), status, code, open));
        if (!open) {
            linger(in);
        }
        return open;
    }

    /** Returns a whole answer that refuses, as S3 words it. */
    static byte[] refusal(String method, int status, String code, boolean staysOpen) {
        String body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>" + code
                + " from a test</Message><RequestId>fault-proxy</RequestId></Error>";
        String head = "HTTP/1.1 " + status + " " + code + "\r\nContent-Type: application/xml\r\nContent-Length: "
                + body.length() + "\r\nx-amz-request-id: fault-proxy\r\nDate: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)) + "\r\n"
                + (staysOpen ? "" : "Connection: close\r\n")
                + "\r\n";
        return (method.equals("HEAD") ? head : head + body).getBytes(StandardCharsets.UTF_8);
    }

    /** Says no more and lets the client read: closing while it sends would take the answer from it. */
    private void linger(BufferedInputStream in) throws IOException {
        client.shutdownOutput();
        client.setSoTimeout(LINGER_MS);
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (SocketTimeoutException e) {
            // it had its time
        }
    }

    /** Ends both sides at once, the client's by a reset. Does nothing when they have ended. */
    void reset() {
        Upstream.reset(client);
        Upstream ended = upstream;
        if (ended != null) {
            ended.close();
        }
    }
}
