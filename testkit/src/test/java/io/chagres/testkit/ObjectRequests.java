package io.chagres.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Puts and gets objects by single requests: in S3 signed by signature version 4, in GCS by its JSON interface. */
record ObjectRequests(ObjectServer server, boolean s3) {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String HMAC = "HmacSHA256";

    /** Puts an object if it is absent; returns the status. */
    int put(URI endpoint, String bucket, String key, String content) {
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(content);
        if (s3) {
            return send(signed(endpoint, "PUT", "/" + bucket + "/" + key)
                            .header("If-None-Match", "*")
                            .PUT(body))
                    .statusCode();
        }
        String target = "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&ifGenerationMatch=0&name=" + key;
        return send(HttpRequest.newBuilder(endpoint.resolve(target)).POST(body)).statusCode();
    }

    String get(URI endpoint, String bucket, String key) {
        return send(s3
                        ? signed(endpoint, "GET", "/" + bucket + "/" + key)
                        : HttpRequest.newBuilder(
                                endpoint.resolve("/storage/v1/b/" + bucket + "/o/" + key + "?alt=media")))
                .body();
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private HttpRequest.Builder signed(URI endpoint, String method, String path) {
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
        String time = now.format(DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'"));
        String day = time.substring(0, time.indexOf('T'));
        String names = "host;x-amz-content-sha256;x-amz-date";
        String canonical = String.join(
                "\n",
                method,
                path,
                "",
                "host:" + endpoint.getAuthority(),
                "x-amz-content-sha256:UNSIGNED-PAYLOAD",
                "x-amz-date:" + time,
                "",
                names,
                "UNSIGNED-PAYLOAD");
        String scope = day + "/us-east-1/s3/aws4_request";
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(UTF_8));
            byte[] key = ("AWS4" + server.secretKey()).getBytes(UTF_8);
            for (String part : scope.split("/")) {
                key = hmac(key, part);
            }
            String text = String.join(
                    "\n", "AWS4-HMAC-SHA256", time, scope, HexFormat.of().formatHex(digest));
            return HttpRequest.newBuilder(endpoint.resolve(path))
                    .header("x-amz-date", time)
                    .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                    .header(
                            "Authorization",
                            "AWS4-HMAC-SHA256 Credential=" + server.accessKey() + "/" + scope + ", SignedHeaders="
                                    + names + ", Signature="
                                    + HexFormat.of().formatHex(hmac(key, text)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(HMAC);
        mac.init(new SecretKeySpec(key, HMAC));
        return mac.doFinal(text.getBytes(UTF_8));
    }
}
