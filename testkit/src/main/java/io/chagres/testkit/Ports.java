package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports for servers that end and come back. The kernel gives none of them to clients (it takes those from 32768
 * on): else a client that tries a server that is down could be given that very port and be connected to itself.
 */
final class Ports {
    private static final int FIRST = 15_000;
    private static final int END = 32_000;
    private static final int TRIES = 200;

    private Ports() {}

    /** Returns a port of the loopback interface on which nobody listens. */
    static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // taken: another one
            }
        }
        throw new UncheckedIOException(new IOException("no free port among " + TRIES + " tried"));
    }
}
