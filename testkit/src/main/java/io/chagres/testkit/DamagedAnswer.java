package io.chagres.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;

/**
 * Damages the body of an answer on its way: flips a bit in its middle, or ends the connection there. Answers without a
 * body, or that report a failure, pass as they are.
 *
 * @param rule counts what was damaged
 * @param isCut whether the connection ends
 */
record DamagedAnswer(ProxyRule rule, boolean isCut) implements Upstream.Passing {
    private static final int MAX_BYTES = 1 << 20;

    @Override
    public boolean pass(HttpHead head, InputStream in, OutputStream out) throws IOException {
        out.write(head.bytes());
        long length = head.status() < HttpURLConnection.HTTP_MULT_CHOICE ? length(head, in, out) : 0;
        byte[] body = in.readNBytes((int) Math.min(MAX_BYTES, length));
        if (body.length == 0) {
            return true;
        }
        int middle = body.length / 2;
        if (isCut) {
            out.write(body, 0, middle);
        } else {
            body[middle] ^= 1;
            out.write(body);
        }
        rule.countApplied();
        return !isCut;
    }

    /** Returns how many bytes of the body come next: of the first chunk if it comes in chunks. */
    private static long length(HttpHead head, InputStream in, OutputStream out) throws IOException {
        if (!head.header("Transfer-Encoding").equalsIgnoreCase("chunked")) {
            String length = head.header("Content-Length");
            return length.isEmpty() ? 0 : Long.parseLong(length);
        }
        String size = HttpHead.readLine(in, in.read());
        out.write((size + "\r\n").getBytes(StandardCharsets.US_ASCII));
        return Long.parseLong(size.split(";", 2)[0].strip(), 16);
    }
}
