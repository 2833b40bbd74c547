package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells how a program of the system ended. Immutable.
 *
 * @param exitCode 128 + the signal when a signal ended it
 * @param out its standard output
 * @param err its standard error
 */
public record Program(int exitCode, byte[] out, String err) {
    /** A program that takes this long hangs, on the busiest machine too. */
    private static final long LIMIT_SECONDS = 1200;

    /** Runs a program to its end, whatever its exit code. */
    public static Program run(List<String> command) {
        return run(command, LIMIT_SECONDS);
    }

    /** Runs a program that may take longer than most, such as a build, whatever its exit code. */
    public static Program run(List<String> command, long limitSeconds) {
        String name = command.getFirst();
        Spending what = name.endsWith("/java") || name.endsWith("/chagres") ? Spending.JVMS : Spending.PROGRAMS;
        try (Spent.Span _ = Spent.on(what)) {
            Path out = Files.createTempFile("program", ".out");
            Path err = Files.createTempFile("program", ".err");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                process.getOutputStream().close();
                if (!endsInTime(process, limitSeconds)) {
                    process.destroyForcibly();
                    throw new AssertionError("did not end: " + command + "\n" + text(Files.readAllBytes(err)));
                }
                return new Program(process.exitValue(), Files.readAllBytes(out), text(Files.readAllBytes(err)));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits. A test whose time is over is interrupted once; it is not left marked as interrupted, because the programs
     * that clean up after it would be given up too.
     */
    private static boolean endsInTime(Process process, long limitSeconds) {
        try {
            return Patience.ends(process, limitSeconds);
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Runs a program that must succeed, and returns its standard output. */
    public static String ok(String... command) {
        Program program = run(List.of(command));
        if (program.exitCode != 0) {
            throw new AssertionError("exit code " + program.exitCode + ": " + String.join(" ", command) + "\n"
                    + text(program.out) + program.err);
        }
        return text(program.out);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
