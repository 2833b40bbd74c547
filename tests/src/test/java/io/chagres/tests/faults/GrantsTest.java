package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The rights of one host on Google Cloud Storage and on Azure. No server outside of the two clouds knows their
 * conditions, so a proxy enforces what the scripts tell the clouds' own clients.
 */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
class GrantsTest {
    private static final String OWN = "00000000000000a1";
    private static final String OTHER = "00000000000000b2";
    private static final String REFUSED = "AccessDenied from a test";

    @Test
    void ofAHostOnGoogleCloudStorage(FaultBench bench) throws IOException, InterruptedException {
        bench.inGcs();
        shipOther(bench);
        FaultProxy proxy = bench.proxied();
        Grants grants = GcsGrants.of(bench.root(), OWN);
        proxy.on().when((method, target) -> !grants.allows(method, target)).answer(403, "AccessDenied");
        proxy.on(Kind.PUT)
                .when((method, target) -> !target.contains("ifGenerationMatch=0"))
                .answer(403, "AccessDenied"); // replacing is deleting there
        proxy.on(Kind.GET).forbidMissing();
        ownShipsAndStartsAgain(bench);

        URI store = proxy.endpoint().resolve("/storage/v1/b/archives/o");
        for (String key : new String[] {"/log/1", "/host"}) {
            String other = "archive%2Fhosts%2F" + OTHER + key.replace("/", "%2F");
            refused("GET", store + "/" + other + "?alt=media");
            refused("DELETE", store + "/" + other);
            refused("POST", proxy.endpoint() + "/upload/storage/v1/b/archives/o?ifGenerationMatch=0&name=" + other);
        }
        String own = "archive%2Fhosts%2F" + OWN + "%2Fhost";
        allowed("GET", store + "/" + own + "?alt=media");
        refused("DELETE", store + "/" + own);
        refused("POST", proxy.endpoint() + "/upload/storage/v1/b/archives/o?name=" + own);
        refused("GET", store + "?prefix=archive%2Fhosts%2F" + OTHER + "%2F");
        refused("GET", store + "?prefix=archive%2Fhosts%2F");
        refused("GET", store.toString());
        allowed("GET", store + "?prefix=archive%2Fhosts%2F" + OWN + "%2F");
        proxy.heal();
        bench.archive().verify();
    }

    @Test
    void ofAHostOnAzure(FaultBench bench) throws IOException, InterruptedException {
        bench.inAzure();
        shipOther(bench);
        FaultProxy proxy = bench.proxied();
        Grants grants = AzureGrants.of(bench.root(), OWN);
        proxy.on().when((method, target) -> !grants.allows(method, target)).answer(403, "AccessDenied");
        proxy.on(Kind.PUT).without("If-None-Match").answer(403, "AccessDenied"); // adding is not replacing there
        ownShipsAndStartsAgain(bench);

        String container = bench.address().replaceFirst(".*endpoint=", "") + "/archives";
        for (String key : new String[] {"/log/1", "/host"}) {
            String other = container + "/archive/hosts/" + OTHER + key;
            refused("GET", other);
            refused("DELETE", other);
            refused("PUT", other);
        }
        String list = container + "?restype=container&comp=list";
        refused("DELETE", container + "/archive/hosts/" + OWN + "/host");
        refused("PUT", container + "/archive/hosts/" + OWN + "/host");
        refused("GET", list + "&prefix=archive%2Fhosts%2F" + OTHER + "%2F");
        refused("GET", list + "&prefix=archive%2Fhosts%2F");
        refused("GET", list);
        refused("DELETE", container + "?restype=container");
        proxy.heal();
        bench.archive().verify();
    }

    private static void shipOther(FaultBench bench) throws IOException {
        Path secret = Files.writeString(bench.root().resolve("secret.log"), "secret\n");
        bench.shipping()
                .paths(secret)
                .host("other")
                .state(bench.root().resolve("other"))
                .options("--host-id", OTHER)
                .here()
                .awaitScanned()
                .drain();
    }

    private static void ownShipsAndStartsAgain(FaultBench bench) throws IOException {
        Path log = Files.writeString(bench.file("app.log"), "one\n");
        bench.ship("--host-id", OWN).drain();
        Files.writeString(log, "one\ntwo\n");
        bench.ship("--host-id", OWN).drain();
        assertThat(bench.archive().cat(FaultBench.HOST + ":" + log)).isEqualTo(Files.readAllBytes(log));
    }

    private static void refused(String method, String address) throws IOException, InterruptedException {
        HttpResponse<String> answer = answer(method, address);
        assertThat(answer.statusCode()).as("%s %s", method, address).isEqualTo(403);
        assertThat(answer.body()).as("%s %s", method, address).contains(REFUSED);
    }

    private static void allowed(String method, String address) throws IOException, InterruptedException {
        HttpResponse<String> answer = answer(method, address);
        assertThat(answer.statusCode()).as("%s %s", method, address).isEqualTo(200);
    }

    private static HttpResponse<String> answer(String method, String address) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                    .method(method, BodyPublishers.noBody())
                    .build();
            return client.send(request, BodyHandlers.ofString());
        }
    }
}
