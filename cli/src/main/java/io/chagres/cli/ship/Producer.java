package io.chagres.cli.ship;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads standard input, or what a program writes to its standard output. The end of a pipe says nothing of whether who
 * wrote into it came to its own end; the exit code of a program does. Read by one thread; {@link #end} is safe for any.
 */
final class Producer extends InputStream {
    private final InputStream from;
    private final @Nullable Process process;
    private volatile int code;

    private Producer(InputStream from, @Nullable Process process) {
        this.from = from;
        this.process = process;
    }

    /**
     * Begins to read.
     *
     * @param command the program; empty for standard input
     * @throws IOException when it cannot be started
     */
    static Producer of(List<String> command) throws IOException {
        if (command.isEmpty()) {
            return new Producer(System.in, null);
        }
        Process started = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new Producer(started.getInputStream(), started);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int read = from.read(bytes, offset, length);
        if (read < 0 && process != null) {
            requireGood(process);
        }
        return read;
    }

    private void requireGood(Process ended) throws IOException {
        try {
            code = ended.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (code != 0) {
            throw new IOException("the program ended with exit code " + code);
        }
    }

    /** Returns the exit code of a program that has ended; 0 of one that has not. */
    int exitCode() {
        return code;
    }

    /** Ends the program. */
    void end() {
        if (process != null) {
            process.destroy();
        }
    }
}
