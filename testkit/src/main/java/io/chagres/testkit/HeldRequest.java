package io.chagres.testkit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A whole request, which can be sent more than once, and when its client is gone.
 *
 * @param head asks for no leave to send the body
 * @param body as it is on the wire
 */
record HeldRequest(HttpHead head, byte[] body) {
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Reads the rest of a request. */
    static HeldRequest read(HttpHead head, InputStream in, OutputStream client) throws IOException {
        if (head.expectsContinue()) {
            client.write(GO_ON);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        RequestBody.copy(head, in, body, Long.MAX_VALUE);
        List<String> lines = new ArrayList<>(head.lines());
        lines.removeIf(line -> line.regionMatches(true, 0, "Expect:", 0, "Expect:".length()));
        return new HeldRequest(new HttpHead(lines), body.toByteArray());
    }

    InputStream in() {
        return new ByteArrayInputStream(body);
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(head.bytes());
        out.write(body);
    }
}
