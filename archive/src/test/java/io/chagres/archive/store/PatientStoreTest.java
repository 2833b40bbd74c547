package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A store that has too much to do is asked again, as long as it answers anything. */
class PatientStoreTest {
    private static final long PATIENCE_MS = 300_000;
    private static final long FIRST_MS = 5_000;
    private static final MemorySegment CONTENT = MemorySegment.ofArray(new byte[3]);

    private final MemoryStore objects = new MemoryStore();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Long> pauses = new ArrayList<>();
    private long nowMs;
    private int refusals;
    private StoreException.Kind kind = StoreException.Kind.BUSY;
    private long wantedMs;
    private int asked;

    private final PatientStore.Time time = new PatientStore.Time() {
        @Override
        public long nowMs() {
            return nowMs;
        }

        @Override
        public void pause(long ms) {
            nowMs += ms;
            pauses.add(ms);
        }
    };

    private final PatientStore store = new PatientStore(
            new FaultyStore(objects, (operation, done) -> {
                asked++;
                if (!done && refusals > 0) {
                    refusals--;
                    throw new StoreException("503 SlowDown", new IOException(), kind, wantedMs);
                }
            }),
            new AnswerTimeout(PATIENCE_MS, FIRST_MS, 0),
            null,
            note -> {},
            time);

    /** Asks for something. */
    private interface Question {
        Object ask() throws IOException;
    }

    @Test
    void waitsUntilItIsAnsweredWhateverItAsks() throws IOException {
        objects.putIfAbsent("a/1", CONTENT);
        List<Question> questions = List.of(
                () -> store.get("a/1", 0, MemorySegment.ofArray(new byte[9])),
                () -> store.size("a/1"),
                () -> BlobList.all(store, "a/", null),
                () -> store.page("a/", "a/", 2),
                () -> BlobList.first(store, "a/"),
                () -> store.children("a/"),
                () -> store.putIfAbsent("a/2", CONTENT),
                () -> {
                    store.delete("a/2");
                    return store;
                });
        for (Question question : questions) {
            pauses.clear();
            refusals = 5;
            assertThat(question.ask()).isNotNull();
            assertThat(pauses).hasSize(5);
        }
    }

    @Test
    void givesUpWhenNothingIsAnsweredForLong() {
        refusals = Integer.MAX_VALUE;
        assertThatThrownBy(() -> store.size("a/1")).hasMessage("503 SlowDown");
        assertThat(nowMs).isEqualTo(PATIENCE_MS);
    }

    @Test
    void waitsAsLongAsTheStoreWants() throws IOException {
        wantedMs = 60_000;
        refusals = 2;
        store.size("a/1");
        assertThat(pauses).containsExactly(60_000L, 60_000L);
        refusals = Integer.MAX_VALUE;
        nowMs = 0;
        assertThatThrownBy(() -> store.size("a/1")).hasMessage("503 SlowDown");
        assertThat(nowMs).as("not beyond the patience").isEqualTo(PATIENCE_MS);
    }

    /** Hosts that were refused together do not come back together. */
    @Test
    void drawsEachDelay() throws IOException {
        refusals = 12;
        store.size("a/1");
        refusals = 12;
        List<Long> first = List.copyOf(pauses);
        pauses.clear();
        store.size("a/1");
        assertThat(pauses).isNotEqualTo(first).allMatch(each -> each <= 20_000);
    }

    /** Half of the answers may be refusals for as long as it takes. */
    @Test
    void goesOnAsLongAsAnythingIsAnswered() throws IOException {
        for (int i = 0; i < 100; i++) {
            refusals = 12;
            assertThat(store.size("a/1")).isEqualTo(-1);
        }
        assertThat(nowMs).isGreaterThan(2 * PATIENCE_MS);
    }

    @Test
    void waitsForALineThatWasThere() throws IOException {
        store.size("a/1");
        kind = StoreException.Kind.SILENT;
        refusals = 12;
        assertThat(store.size("a/1")).isEqualTo(-1);
        assertThat(nowMs).isGreaterThan(FIRST_MS);
    }

    /** Its address may be wrong, and who mistyped it does not want to wait for minutes. */
    @Test
    void waitsLessForAStoreThatWasNeverHeard() {
        kind = StoreException.Kind.SILENT;
        refusals = Integer.MAX_VALUE;
        assertThatThrownBy(() -> store.size("a/1")).isInstanceOf(StoreException.class);
        assertThat(nowMs).isEqualTo(FIRST_MS);
    }

    /** The time of a command counts from its start, which the start of the program is a part of. */
    @Test
    void countsWhatIsSpent() {
        PatientStore late = new PatientStore(
                new FaultyStore(objects, (operation, done) -> {
                    throw new StoreException("503 SlowDown", new IOException(), kind);
                }),
                AnswerTimeout.of(PATIENCE_MS).after(1_000),
                null,
                note -> {},
                time);
        assertThatThrownBy(() -> late.size("a/1")).hasMessage("503 SlowDown");
        assertThat(nowMs).isEqualTo(PATIENCE_MS - 1_000);
        assertThat(AnswerTimeout.of(10).after(1_000).spentMs()).isEqualTo(5);
    }

    /** The last question has a moment left, in which nobody can answer: that is not what the store said. */
    @Test
    void saysAtTheEndWhatTheStoreSaid() {
        PatientStore waiting = new PatientStore(
                new FaultyStore(objects, (operation, done) -> {
                    throw new StoreException("503 SlowDown", new IOException(), kind);
                }),
                AnswerTimeout.of(PATIENCE_MS),
                question -> {
                    if (nowMs < PATIENCE_MS) {
                        question.run();
                    }
                },
                note -> {},
                time);
        assertThatThrownBy(() -> waiting.size("a/1")).hasMessage("503 SlowDown");
        assertThat(nowMs).isEqualTo(PATIENCE_MS);
    }

    @Test
    void passesOnWhatIsAnAnswer() {
        for (StoreException.Kind other : StoreException.Kind.values()) {
            if (other != StoreException.Kind.BUSY && other != StoreException.Kind.SILENT) {
                kind = other;
                refusals = 1;
                asked = 0;
                assertThatThrownBy(() -> store.size("a/1")).isInstanceOf(StoreException.class);
                assertThat(asked).isOne();
            }
        }
        assertThat(pauses).isEmpty();
    }

    /** A store that accepts a connection and never answers: each call ends, also those that wait beside each other. */
    @Test
    void endsACallThatNobodyAnswers() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(2);
        List<String> notes = new CopyOnWriteArrayList<>();
        BlobStore hangs = new ForwardingStore(objects) {
            @Override
            public int get(String key, long offset, MemorySegment target) {
                return hang();
            }

            @Override
            public boolean putIfAbsent(String key, MemorySegment content) {
                return hang() == 0;
            }

            private int hang() {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
                return 0;
            }
        };
        BlobStore patient = PatientStore.of(hangs, AnswerTimeout.of(100), threads, notes::add);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = arena.allocate(8);
            assertThatThrownBy(() -> patient.get("a/1", 0, own))
                    .isInstanceOfSatisfying(StoreException.class, refusal -> assertThat(refusal.kind())
                            .isEqualTo(StoreException.Kind.SILENT))
                    .hasMessageContaining("no answer within");
            assertThatThrownBy(() -> patient.size("a/1"))
                    .as("the work beside it ends together")
                    .hasMessageContaining("no answer within");
        }
        Await.until("a later question is asked again", () -> isAnswered(patient));
        assertThatThrownBy(() -> patient.putIfAbsent("a/1", CONTENT)).hasMessageContaining("no answer within");
        interrupted.await();
        assertThat(notes).as("shorter than what is worth a word").isEmpty();
    }

    private static boolean isAnswered(BlobStore store) {
        try {
            return store.size("a/1") == -1;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void saysThatItWaits() throws IOException {
        List<String> notes = new ArrayList<>();
        PatientStore bounded = new PatientStore(
                new FaultyStore(objects, (operation, done) -> {
                    if (!done && refusals > 0) {
                        refusals--;
                        throw new StoreException("503 SlowDown", new IOException(), kind);
                    }
                }),
                AnswerTimeout.of(PATIENCE_MS),
                threads,
                notes::add,
                time);
        refusals = 9;
        bounded.putIfAbsent("a/1", CONTENT);
        assertThat(notes.getFirst()).contains("503 SlowDown", "--timeout");
        assertThat(notes.getLast()).contains("answers again");
        MemorySegment read = MemorySegment.ofArray(new byte[3]);
        assertThat(bounded.get("a/1", 0, read)).isEqualTo(3);
        assertThat(read.mismatch(CONTENT)).isEqualTo(-1);
        try (BlobWriter writer = bounded.create("a/2")) {
            writer.write(CONTENT, 0, 3);
            refusals = 9;
            writer.commit();
        }
        assertThat(bounded.size("a/2")).isEqualTo(3);
    }
}
