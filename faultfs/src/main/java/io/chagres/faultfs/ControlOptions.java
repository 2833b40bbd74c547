package io.chagres.faultfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a mount takes orders. */
final class ControlOptions {
    @Option(names = "--socket", required = true, paramLabel = "PATH", description = "The socket of the mount.")
    Path socket = Path.of("");

    /**
     * Gives an order and waits for the answer.
     *
     * @return a line of JSON
     * @throws IOException if nobody answers, or the order was refused
     */
    String order(String order) throws IOException {
        String answer;
        try (SocketChannel connection = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(connection), StandardCharsets.UTF_8))) {
            ByteBuffer line = StandardCharsets.UTF_8.encode(order.replace('\n', ' ') + "\n");
            while (line.hasRemaining()) {
                connection.write(line);
            }
            answer = in.readLine();
        } catch (IOException e) {
            throw new IOException("nobody takes orders at " + socket + ": " + e.getMessage(), e);
        }
        if (answer == null || answer.startsWith("{\"error\":")) {
            throw new IOException(answer == null ? "the mount ended before it answered" : "refused: " + answer);
        }
        return answer;
    }
}
