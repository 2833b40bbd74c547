package io.chagres.cli.notice;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the metadata service of a cloud, which answers on a link-local address of every machine: never by a proxy, never
 * following a redirect, and never reading more than a notice has. The contents of headers are never part of a message.
 * Safe for any thread.
 */
final class MetadataService implements AutoCloseable {
    private static final int MAX_BYTES = 64 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(2);

    private final HttpClient client = HttpClient.newBuilder()
            .proxy(HttpClient.Builder.NO_PROXY)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();
    private final URI endpoint;

    MetadataService(URI endpoint) {
        this.endpoint = endpoint;
    }

    /** An answer: its status, and its text if that is not too long. */
    record Answer(int status, String text) {
        boolean isGood() {
            return status == 200;
        }
    }

    /**
     * Sends a request and waits for the whole answer.
     *
     * @param target path and query
     * @param limit for all of it
     * @param headers names and values in turn
     */
    Answer ask(String method, String target, Duration limit, String... headers) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(endpoint.resolve(target))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .headers(headers)
                .timeout(limit)
                .build();
        CompletableFuture<Answer> answer = client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
                .thenApplyAsync(MetadataService::read);
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException("no answer within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            String message = cause == null ? null : cause.getMessage();
            throw new IOException(message == null ? "no answer" : message, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static Answer read(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            byte[] bytes = body.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException("an answer of more than " + MAX_BYTES + " bytes is no notice");
            }
            return new Answer(response.statusCode(), new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Returns a member's text of a JSON object, wherever it stands; null when there is none. */
    static @Nullable String member(String json, String name) {
        java.util.regex.Matcher member = java.util.regex.Pattern.compile(
                        "\"" + name + "\"\\s*:\\s*\"([^\"\\\\]{0,200})\"")
                .matcher(json);
        return member.find() ? member.group(1) : null;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
