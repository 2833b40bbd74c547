package io.chagres.cli.http;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The address where a ship or a forwarder shows its state over HTTP, if any. */
public final class HttpOption {
    @Option(
            names = "--http",
            paramLabel = "ADDRESS:PORT",
            description =
                    "Serve a status page, /metrics, /healthz and /readyz, as 127.0.0.1:7788. An address that others"
                            + " reach needs a token, in CHAGRES_HTTP_TOKEN or --http-token.")
    @Nullable
    String http;

    @Option(
            names = "--http-token",
            paramLabel = "FILE",
            description = "A file whose first line is the token that --http asks for, as bearer or as password.")
    @Nullable
    String tokenFile;

    /**
     * Checks the address by itself.
     *
     * @throws CommandFailure when it is none
     */
    public void checkAddress() throws CommandFailure {
        if (http != null) {
            StatusServer.parsed(http);
        }
    }

    /**
     * Checks all that {@link #serve} would refuse before it listens.
     *
     * @throws CommandFailure when the address is none, or is open to others and there is no token
     */
    public void check(CommandContext context) throws IOException {
        if (http != null) {
            StatusServer.check(http, token(context));
        }
    }

    /**
     * Begins to serve if that was asked for; else returns null.
     *
     * @param messages takes where
     */
    public @Nullable StatusServer serve(
            CommandContext context, Board board, ExecutorService threads, Consumer<String> messages)
            throws IOException {
        if (http == null) {
            return null;
        }
        StatusServer server = StatusServer.open(http, token(context), board, threads);
        messages.accept("serves its status at " + server.address());
        return server;
    }

    private @Nullable String token(CommandContext context) throws IOException {
        return token(context, tokenFile);
    }

    /**
     * Returns what those who ask must know; null for nothing.
     *
     * @param tokenFile a file whose first line it is; null for that of the environment
     */
    public static @Nullable String token(CommandContext context, @Nullable String tokenFile) throws IOException {
        String token = context.environment().get("CHAGRES_HTTP_TOKEN");
        if (tokenFile != null) {
            try {
                token = Files.readString(Path.of(tokenFile)).lines().findFirst().orElse("");
            } catch (IOException e) {
                throw new CommandFailure(
                        ExitCode.FAILED,
                        "--http-token " + tokenFile + " cannot be read: " + e.getMessage() + ". Nothing was shipped");
            }
        }
        if (token != null && token.strip().isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE, "the token of --http-token or CHAGRES_HTTP_TOKEN is empty; it must be a secret");
        }
        return token == null ? null : token.strip();
    }
}
