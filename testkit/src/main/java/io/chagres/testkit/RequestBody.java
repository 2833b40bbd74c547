package io.chagres.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Copies the bodies of requests as they are on the wire: whole ones and those in chunks. */
final class RequestBody {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int HEXADECIMAL = 16;

    private RequestBody() {}

    /**
     * Copies a body.
     *
     * @param limitBytes how many bytes to copy at most
     * @return whether the limit was reached before the end
     */
    static boolean copy(HttpHead head, InputStream in, OutputStream out, long limitBytes) throws IOException {
        Limited to = new Limited(out, limitBytes);
        if (head.header("Transfer-Encoding").equalsIgnoreCase("chunked")) {
            copyChunks(in, to);
        } else {
            String length = head.header("Content-Length");
            to.copy(in, length.isEmpty() ? 0 : Long.parseLong(length));
        }
        return to.left < 0;
    }

    private static void copyChunks(InputStream in, Limited to) throws IOException {
        long length;
        do {
            String size = HttpHead.readLine(in, in.read());
            to.line(size);
            length = Long.parseLong(size.split(";", 2)[0].strip(), HEXADECIMAL);
            if (length > 0) {
                to.copy(in, length);
                to.line(HttpHead.readLine(in, in.read()));
            }
        } while (length > 0 && to.left >= 0);
        while (to.left >= 0) {
            String trailer = HttpHead.readLine(in, in.read());
            to.line(trailer);
            if (trailer.isEmpty()) {
                return;
            }
        }
    }

    /** Passes some bytes and no more; {@code left} is negative from the first byte too many. */
    private static final class Limited {
        private final OutputStream out;
        private long left;

        Limited(OutputStream out, long left) {
            this.out = out;
            this.left = left;
        }

        void line(String line) throws IOException {
            write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1), line.length() + 2);
        }

        void copy(InputStream in, long length) throws IOException {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (long rest = length; rest > 0 && left >= 0; ) {
                int count = in.read(buffer, 0, (int) Math.min(buffer.length, rest));
                if (count < 0) {
                    throw new EOFException("the end within a body, " + rest + " bytes before its own");
                }
                rest -= count;
                write(buffer, count);
            }
        }

        private void write(byte[] bytes, int count) throws IOException {
            if (left >= 0) {
                out.write(bytes, 0, (int) Math.min(count, left));
                left = count > left ? -1 : left - count;
            }
        }
    }
}
