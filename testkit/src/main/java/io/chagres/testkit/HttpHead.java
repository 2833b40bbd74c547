package io.chagres.testkit;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of an HTTP/1.1 message up to its empty line, byte for byte.
 *
 * @param lines without line ends; the first is the request or the status line
 */
record HttpHead(List<String> lines) {
    private static final int MAX_BYTES = 64 << 10;

    /** Reads one; null when the stream ends before its first byte. */
    static @Nullable HttpHead read(InputStream in) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        List<String> lines = new ArrayList<>();
        int bytes = 0;
        for (String line = readLine(in, first); !line.isEmpty(); line = readLine(in, in.read())) {
            lines.add(line);
            bytes += line.length();
            if (bytes > MAX_BYTES) {
                throw new ProtocolException("a head of more than " + MAX_BYTES + " bytes");
            }
        }
        if (lines.isEmpty() || lines.getFirst().split(" ", 3).length < 2) {
            throw new ProtocolException("not HTTP: " + lines);
        }
        return new HttpHead(lines);
    }

    /** Reads up to CR and LF, which it leaves out. */
    static String readLine(InputStream in, int first) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = first; next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the end within a line");
            }
            if (line.size() == MAX_BYTES) {
                throw new ProtocolException("a line of more than " + MAX_BYTES + " bytes");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    byte[] bytes() {
        return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The method of a request. */
    String method() {
        return lines.getFirst().split(" ", 3)[0];
    }

    /** The target of a request: a path, usually with a query. */
    String target() {
        return lines.getFirst().split(" ", 3)[1];
    }

    /** The status of a response. */
    int status() throws ProtocolException {
        String status = target();
        if (!status.matches("[1-5][0-9][0-9]")) {
            throw new ProtocolException("not a status: " + lines.getFirst());
        }
        return Integer.parseInt(status);
    }

    /** The value of a header; empty when it is absent. */
    String header(String name) {
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).equalsIgnoreCase(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return "";
    }

    /** Whether the client waits for leave to send the body. */
    boolean expectsContinue() {
        return header("Expect").equalsIgnoreCase("100-continue");
    }
}
