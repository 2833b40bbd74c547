package io.chagres.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Makes containers in a server of Azure Blob Storage, by a request signed with a shared key. Stateless. */
final class AzureContainer {
    static final String ACCOUNT = "chagrestest";
    static final String KEY =
            Base64.getEncoder().encodeToString("chagres-test-secret".getBytes(StandardCharsets.UTF_8));

    private static final String VERSION = "2021-12-02";
    private static final String HMAC = "HmacSHA256";
    private static final int CREATED = 201;

    /** How many headers without a value the text to sign has between the method and those of Azure. */
    private static final int EMPTY_HEADERS = 11;

    private AzureContainer() {}

    /** @param endpoint with the account as its path */
    static void make(URI endpoint, String name) {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
        String text = "PUT\n" + "\n".repeat(EMPTY_HEADERS) + "x-ms-date:" + date + "\nx-ms-version:" + VERSION + "\n/"
                + ACCOUNT + endpoint.getPath() + "/" + name + "\nrestype:container";
        HttpRequest request = HttpRequest.newBuilder(URI.create(endpoint + "/" + name + "?restype=container"))
                .header("x-ms-date", date)
                .header("x-ms-version", VERSION)
                .header("Authorization", "SharedKey " + ACCOUNT + ":" + signature(text))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != CREATED) {
                throw new AssertionError("container " + name + ": " + answer.statusCode() + " " + answer.body());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String signature(String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(KEY), HMAC));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
