package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.ScriptedServer;
import io.chagres.testkit.ScriptedServer.Answer;
import io.chagres.testkit.TlsIdentity;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers of servers, and what every store makes of them. A test of a store extends it, gives the answers in the
 * server's words, and adds what only that server says. The text {@code SECRET} in an answer or in credentials is in no
 * message.
 */
public abstract class RefusalContract {
    /** What is put. */
    protected static final MemorySegment CONTENT =
            MemorySegment.ofArray("123456789".getBytes(StandardCharsets.US_ASCII));

    /** The time at which what is listed was made, in milliseconds: 2026-01-02T03:04:05Z. */
    private static final long LISTED_MS = 1_767_323_045_000L;

    /** What a server may say. */
    protected enum Refusal {
        /** The object exists. */
        EXISTS,
        /** The caller may not put. */
        FORBIDDEN,
        /** Somebody else puts the same key at this moment. */
        CONFLICT,
        /** Later, please. */
        BUSY,
        /** The same, in the other way that the server has. */
        TIMED_OUT,
        NO_OBJECT,
        NO_BUCKET
    }

    /** Answers, and remembers what it was asked. */
    protected final ScriptedServer server;

    private final Answer done;

    /** @param done the server's answer to a put */
    protected RefusalContract(Answer done) {
        this.done = done;
        server = new ScriptedServer(done);
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    /** A reader who took it for an empty list would say that the archive holds no host, or that nothing is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"", "<html><body>Please log in.</body></html>", "<?xml version=\"1.0\"?><page/>", "no"})
    void takesNoOtherPageForAnEmptyList(String page) throws IOException {
        for (String type : List.of("text/html", "application/xml", "application/json")) {
            server.answer(new Answer(200, Map.of("Content-Type", type), page));
            server.answer(new Answer(200, Map.of("Content-Type", type), page));
            try (BlobStore store = open(false)) {
                assertThatThrownBy(() -> BlobList.all(store, "log/", null)).isInstanceOf(StoreException.class);
                assertThatThrownBy(() -> store.children("hosts/")).isInstanceOf(StoreException.class);
            }
        }
    }

    /** Opens a store in the bucket {@link #bucket}, prefix {@code p}. */
    protected abstract BlobStore open(boolean create) throws IOException;

    /** Returns how this server says it. */
    protected abstract Answer answer(Refusal refusal);

    /** Returns a part of a listing: objects of three bytes, and the token of the next part, or an empty text. */
    protected abstract Answer page(List<String> names, String next);

    /** Returns the condition of a put that makes it one if absent. */
    protected abstract String condition();

    /** Returns what a person must read who may not put: the archive, the server's words, what is needed. */
    protected abstract String[] forbidden();

    /** Returns what a server that is busy is quoted with. */
    protected abstract String busy();

    /** Returns the message that a bucket is missing. */
    protected abstract String missing();

    /** Returns what is asked for in the first and in the second request of a listing after the key a. */
    protected abstract String[] listing();

    /** Returns what is said when two put the same key. */
    protected String conflict() {
        return "another writer";
    }

    /** Returns the client's words when nobody listens. */
    protected String nobody() {
        return "Connection refused";
    }

    /** Adds an answer. */
    protected final void refuse(Refusal refusal) {
        server.answer(answer(refusal));
    }

    @Test
    void refusesAStoreThatReplacesObjects() {
        assertThatThrownBy(() -> open(true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("ignores " + condition());
    }

    @Test
    void takesAStoreWhereTheProbeIsThereAlready() throws IOException {
        refuse(Refusal.EXISTS);
        try (BlobStore store = open(true)) {
            assertThat(store.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @Test
    void namesObjectAndCause() throws IOException {
        refuse(Refusal.FORBIDDEN);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("log/1")
                    .hasMessageContainingAll(forbidden())
                    .hasMessageNotContaining("SECRET");
        }
    }

    @Test
    void saysThatNobodyKnowsWhenTwoPutAtOnce() throws IOException {
        refuse(Refusal.CONFLICT);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(conflict());
        }
    }

    /** After a trouble that may pass, the layer above all stores asks again, with all of the content. */
    @Test
    void passesOverAServerThatIsBusy() throws IOException {
        refuse(Refusal.BUSY);
        refuse(Refusal.TIMED_OUT);
        server.answer(done);
        try (BlobStore store = PatientStore.of(open(false), AnswerTimeout.SHORT, null, note -> {})) {
            assertThat(store.putIfAbsent("k", CONTENT)).isTrue();
        }
        assertThat(server.requests()).hasSize(3).allSatisfy(request -> assertThat(request)
                .contains("\n123456789"));
    }

    /** The code above decides how often to ask again, and until when: the vendor's client asks once. */
    @Test
    void asksABusyServerOnce() throws IOException {
        refuse(Refusal.BUSY);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.kind())
                            .isEqualTo(StoreException.Kind.BUSY))
                    .hasMessageContaining(busy());
            assertThat(server.requests()).hasSize(1);
            assertThatThrownBy(() -> store.get("k", 0, MemorySegment.ofArray(new byte[3])))
                    .isInstanceOf(StoreException.class);
            assertThat(server.requests()).hasSize(2);
        }
    }

    /** Who must know when to ask again is the code above, too. */
    @Test
    void passesOnWhenTheServerWantsToBeAskedAgain() throws IOException {
        Answer busy = answer(Refusal.BUSY);
        Map<String, String> headers = new HashMap<>(busy.headers());
        headers.put("Retry-After", "7");
        server.answer(new Answer(busy.status(), headers, busy.body()));
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.retryAfterMs())
                            .isEqualTo(7000));
            server.clear();
            refuse(Refusal.BUSY);
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.retryAfterMs())
                            .isZero());
        }
    }

    /** Opens a store at a server whose certificate nobody has signed but itself. */
    protected abstract BlobStore openEncrypted(URI endpoint, Map<String, String> environment, String parameters)
            throws IOException;

    @Test
    void trustsWhomItIsTold(@TempDir Path directory) throws IOException {
        TlsIdentity identity = TlsIdentity.in(directory);
        String file = identity.certificate().toString();
        try (ScriptedServer encrypted = new ScriptedServer(done, identity, false)) {
            encrypted.answer(answer(Refusal.EXISTS));
            try (BlobStore told = openEncrypted(encrypted.endpoint(), Map.of(), "&ca-file=" + file)) {
                assertThat(told.putIfAbsent("k", CONTENT)).isFalse();
            }
            try (BlobStore told = openEncrypted(encrypted.endpoint(), Map.of("SSL_CERT_FILE", file), "")) {
                assertThat(told.putIfAbsent("k", CONTENT)).isFalse();
            }
            try (BlobStore stranger = openEncrypted(encrypted.endpoint(), Map.of(), "")) {
                assertThatThrownBy(() -> stranger.putIfAbsent("k", CONTENT))
                        .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.isAway())
                                .isFalse())
                        .hasMessageContaining("ca-file=");
            }
        }
    }

    @Test
    void showsItsOwnCertificate(@TempDir Path directory) throws IOException {
        TlsIdentity identity = TlsIdentity.in(directory);
        String parameters = "&ca-file=" + identity.certificate() + "&client-cert=" + identity.certificate()
                + "&client-key=" + identity.key();
        try (ScriptedServer encrypted = new ScriptedServer(done, identity, true);
                BlobStore known = openEncrypted(encrypted.endpoint(), Map.of(), parameters)) {
            encrypted.answer(answer(Refusal.EXISTS));
            assertThat(known.putIfAbsent("k", CONTENT)).isFalse();
        }
    }

    @Test
    void saysWhatIsWrongWithTheFile(@TempDir Path directory) {
        URI nowhere = URI.create("https://127.0.0.1:9");
        assertThatThrownBy(() -> openEncrypted(nowhere, Map.of(), "&ca-file=/no/such.pem"))
                .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.isLasting())
                        .isTrue())
                .hasMessageContaining("ca-file= names /no/such.pem, which does not exist");
        assertThatThrownBy(() -> openEncrypted(nowhere, Map.of("SSL_CERT_FILE", directory.toString()), ""))
                .hasMessageContaining("SSL_CERT_FILE names " + directory + "")
                .hasMessageContaining("it is a directory");
    }

    @Test
    void tellsAMissingObjectFromAMissingBucket() throws IOException {
        refuse(Refusal.NO_OBJECT);
        MemorySegment target = MemorySegment.ofArray(new byte[3]);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, target)).isInstanceOf(NoSuchBlobException.class);
            assertThat(store.size("k")).isEqualTo(-1);
            server.clear();
            refuse(Refusal.NO_BUCKET);
            assertThatThrownBy(() -> store.get("k", 0, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(missing());
            assertThatThrownBy(() -> BlobList.all(store, "", null)).hasMessageContaining(missing());
            assertThatThrownBy(() -> store.putIfAbsent("k", CONTENT)).hasMessageContaining(missing());
        }
    }

    /** A proxy, or another program at this address, knows nothing of what the archive holds. */
    @Test
    void takesAPageOfSomebodyElseForNoMissingObject() throws IOException {
        server.answer(new Answer(404, Map.of("Content-Type", "text/html"), "<html>no such page</html>"));
        MemorySegment target = MemorySegment.ofArray(new byte[3]);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 0, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is the endpoint right?");
            assertThatThrownBy(() -> BlobList.all(store, "hosts/", null)).isInstanceOf(StoreException.class);
        }
    }

    /** Else the first bytes of an object would stand for those further on, and the object for damaged. */
    @Test
    void takesTheWholeForNoPart() throws IOException {
        server.answer(new Answer(200, Map.of(), "123456789"));
        MemorySegment target = MemorySegment.ofArray(new byte[3]);
        try (BlobStore store = open(false)) {
            assertThatThrownBy(() -> store.get("k", 2, target))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("not the part that was asked for");
            assertThat(store.get("k", 0, target)).isEqualTo(3);
        }
    }

    @Test
    void listsPageByPageFromAKeyOn() throws IOException {
        server.answer(page(List.of("a", "b"), "more"));
        server.answer(page(List.of("c"), ""));
        try (BlobStore store = open(false)) {
            assertThat(BlobList.all(store, "", "a"))
                    .extracting(BlobInfo::key, BlobInfo::lengthBytes, BlobInfo::modifiedMs)
                    .containsExactly(Tuple.tuple("b", 3L, LISTED_MS), Tuple.tuple("c", 3L, LISTED_MS));
        }
        assertThat(server.requests().getFirst()).contains(listing()[0]);
        assertThat(server.requests().getLast()).contains(listing()[1]);
    }

    @Test
    void listsPastAnEmptyPage() throws IOException {
        server.answer(page(List.of(), "more"));
        server.answer(page(List.of("c"), ""));
        try (BlobStore store = open(false)) {
            assertThat(BlobList.all(store, "", "a")).extracting(BlobInfo::key).containsExactly("c");
        }
        assertThat(server.requests().getLast()).contains(listing()[2]);
    }

    @Test
    void listsOnePage() throws IOException {
        server.answer(page(List.of("a", "b"), "more"));
        server.answer(page(List.of("c"), ""));
        try (BlobStore store = open(false)) {
            BlobPage first = store.page("", "a", Integer.MAX_VALUE);
            assertThat(first.objects()).extracting(BlobInfo::key).containsExactly("b");
            assertThat(first.isLast()).isFalse();
            assertThat(server.requests()).as("a page is a request").hasSize(1);
            BlobPage last = store.page("", "b", Integer.MAX_VALUE);
            assertThat(last.objects()).extracting(BlobInfo::key).containsExactly("c");
            assertThat(last.isLast()).isTrue();
            assertThat(store.traits().listsMayLag())
                    .as("nobody promised anything of this server")
                    .isTrue();
        }
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        try (BlobStore store = open(false)) {
            server.close();
            assertThatThrownBy(() -> store.size("k"))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.kind())
                            .isEqualTo(StoreException.Kind.SILENT))
                    .hasMessageContaining(nobody());
        }
    }
}
