package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import io.chagres.ship.follow.Next;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that the kernel refuses to read for a while: a descriptor that is open only for writing stands for them. */
class TailerTest {
    private static final long NOW_MS = 1;

    @TempDir
    Path temp;

    private Path file;
    private BlobStore store;
    private ShipParts parts;
    private Tail tail;
    private final List<String> problems = new ArrayList<>();

    /** What happened to the file before it could not be read, and what the shipper makes of it once it can. */
    enum Change {
        GROWN(Stage.FOLLOWING) {
            @Override
            void make(Path file, Tail tail) throws IOException {
                Files.write(file, new byte[] {'\n'}, StandardOpenOption.APPEND);
            }
        },
        GROWN_AFTER_A_RESTART(Stage.FOLLOWING) {
            @Override
            void make(Path file, Tail tail) throws IOException {
                GROWN.make(file, tail);
                tail.bytes().compareFirst(Verification.Before.EVERYTHING, 0, Long.MIN_VALUE, true);
            }
        },
        TOUCHED(Stage.FOLLOWING) {
            @Override
            void make(Path file, Tail tail) throws IOException {
                Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
            }
        },
        REWRITTEN(Stage.Over.SUPERSEDED) {
            @Override
            void make(Path file, Tail tail) throws IOException {
                Files.write(file, new byte[(int) Files.size(file)]);
            }
        };

        private final Stage then;

        Change(Stage then) {
            this.then = then;
        }

        abstract void make(Path file, Tail tail) throws IOException;
    }

    @BeforeEach
    void follow() throws IOException {
        file = Files.createDirectory(temp.resolve("tree")).resolve("app.log");
        byte[] bytes = new byte[600_000];
        new Random(1).nextBytes(bytes);
        bytes[bytes.length - 1] = '\n';
        Files.write(file, bytes);
        store = DirectoryStore.open(Pathname.of(temp.resolve("archive").toString()), true);
        parts = ShipParts.open(
                options(), store, Runnable::run, Clock.systemUTC(), problems::add, ShipHost.current(Clock.systemUTC()));
        do {
            parts.watcher.poll(0, parts.dentries);
        } while (parts.watcher.scanning());
        tail = parts.table.all().iterator().next();
        assertThat(turns()).isEqualTo(Next.WAIT);
        assertThat(tail.bytes().position()).isEqualTo(bytes.length);
    }

    private ShipOptions options() {
        return new ShipOptions(
                List.of(new Source(List.of(file.getParent().toString()), List.of(), List.of(), 1, Codec.ZSTD)),
                new ShipOptions.Identity(
                        "host", null, false, Pathname.of(temp.resolve("state").toString())),
                new ShipOptions.Pace(1, 1, 0, 0, 0),
                new ShipOptions.Storage(1, 16 << 20, true, List.of(), false),
                StartAt.BEGINNING,
                false,
                false);
    }

    @AfterEach
    void close() {
        parts.close();
        store.close();
    }

    private Next turns() {
        Next next;
        do {
            next = parts.tailer.turn(tail, NOW_MS);
        } while (next == Next.AGAIN || next == Next.LATER || (next == Next.WAIT && answered() && !tail.isRefused()));
        return tail.isRefused() ? Next.REFUSED : next;
    }

    /** Lets what runs beside the loop come to its end; says whether there was anything. */
    private boolean answered() {
        parts.verifier.step(NOW_MS);
        return parts.offload.step();
    }

    private void upload(long nowMs) {
        parts.offload.step();
        parts.uploads.step(nowMs, (of, object) -> object != null && parts.tailer.takeObject(of, object));
    }

    private void openOnlyFor(int flags) throws IOException {
        Objects.requireNonNull(tail.fd()).close();
        tail.open(Fd.open(Pathname.of(file.toString()), flags, 0));
    }

    @ParameterizedTest
    @EnumSource
    void aFileThatCannotBeReadIsNotTakenForRewritten(Change change) throws IOException {
        change.make(file, tail);
        openOnlyFor(Fd.O_WRONLY);
        long position = tail.bytes().position();
        for (int i = 0; i < 3; i++) {
            assertThat(turns()).isEqualTo(Next.REFUSED);
        }
        assertThat(tail.stage()).isEqualTo(Stage.FOLLOWING);
        assertThat(tail.bytes().position()).isEqualTo(position);
        assertThat(problems).singleElement().asString().contains("app.log", "Bad file descriptor", "tried again");

        openOnlyFor(Fd.O_RDONLY);
        turns();
        assertThat(tail.stage()).isEqualTo(change.then);
        if (tail.isLive()) {
            assertThat(tail.bytes().position()).isEqualTo(Files.size(file));
        }
    }

    @Test
    void aLargeFileThatCannotBeReadIsNoTroubleOfTheStore() throws IOException {
        byte[] more = new byte[3 << 20];
        new Random(2).nextBytes(more);
        Files.write(file, more, StandardOpenOption.APPEND);
        openOnlyFor(Fd.O_WRONLY);
        parts.tailer.turn(tail, NOW_MS);
        assertThat(tail.stage()).isEqualTo(Stage.UPLOADING);
        upload(NOW_MS);
        assertThat(tail.stage()).isEqualTo(Stage.FOLLOWING);
        for (int i = 0; i < 3; i++) {
            assertThat(turns()).isEqualTo(Next.REFUSED);
        }
        assertThat(parts.health.trouble(NOW_MS)).isNull();
        assertThat(problems).singleElement().asString().contains("app.log", "Bad file descriptor", "tried again");

        openOnlyFor(Fd.O_RDONLY);
        while (parts.tailer.turn(tail, NOW_MS) != Next.WAIT) {
            commit();
        }
        assertThat(tail.bytes().position()).isEqualTo(Files.size(file));
    }

    /** A bad disk may take half a minute for each try, in which no other file is looked at. */
    @Test
    void aFileThatIsRefusedSlowlyIsTriedSeldom() {
        parts.files.refuse(tail);
        parts.files.step(NOW_MS, false);
        assertThat(parts.files.next()).isSameAs(tail);
        parts.files.refuse(tail, NOW_MS, NOW_MS + 2_000);
        parts.files.step(NOW_MS + 41_000, false);
        assertThat(parts.files.hasReady()).isFalse();
        parts.files.step(NOW_MS + 42_000, false);
        assertThat(parts.files.next()).isSameAs(tail);
        parts.files.refuse(tail, NOW_MS + 42_000, NOW_MS + 3_642_000);
        parts.files.step(NOW_MS + 3_702_000, false);
        assertThat(parts.files.next()).isSameAs(tail);
    }

    /** It would not be equal yet, and is compared once. */
    @Test
    void aCompressedCopyWaitsForItsOriginal() throws IOException {
        commit();
        byte[] more = new byte[100_000];
        new Random(3).nextBytes(more);
        Files.write(file, more, StandardOpenOption.APPEND);
        try (OutputStream compressed = new GZIPOutputStream(Files.newOutputStream(file.resolveSibling("app.log.gz")))) {
            Files.copy(file, compressed);
        }
        Await.until("the compressed file is found", () -> filesFound() == 2);
        tail.bytes().observe(Files.size(file), tail.bytes().mtimeNs(), 1, NOW_MS, NOW_MS);
        Tail original = tail;
        tail = parts.table.all().stream()
                .filter(each -> each != original)
                .findFirst()
                .orElseThrow();
        assertThat(turns()).isEqualTo(Next.WAIT);
        commit();
        parts.derived.look(tail);
        tail = original;
        assertThat(turns()).isEqualTo(Next.WAIT);
        commit();
        parts.derived.step();
        assertThat(parts.offload.step()).isTrue();
        assertThat(parts.derived.isBusy()).isFalse();
        commit();
        String hostId = HostRegistry.hosts(store).getFirst().id();
        HostState state = HostLog.load(store, hostId, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
        assertThat(state.version(original.versionId).compressedCopies()).hasSize(1);
    }

    /** The loop does not ask again and again whether one of the others is done. */
    @Test
    void aLargeFileWaitsUntilThereIsRoomForItsObjects() throws IOException {
        byte[] bytes = new byte[3 << 20];
        for (int i = 0; i < 5; i++) {
            new Random(10 + i).nextBytes(bytes);
            Files.write(file.resolveSibling("large" + i), bytes);
        }
        Await.until("the files are found", () -> filesFound() == 6);
        List<Next> next = new ArrayList<>();
        for (Tail each : parts.table.all()) {
            if (each != tail) {
                next.add(parts.tailer.turn(each, NOW_MS));
            }
        }
        assertThat(next).containsExactly(Next.WAIT, Next.WAIT, Next.WAIT, Next.WAIT, Next.LATER);
    }

    /** Its last turn cannot let it rest: it waits for its comparison then. */
    @Test
    void aFileRestsOnceItWasCompared() throws IOException {
        commit();
        long[] nowMs = {tail.quietSinceMs() + 60_000};
        tail.bytes().doubt();
        parts.verifier.look(tail, nowMs[0]);
        Await.steps("the file rests", () -> {
            nowMs[0] += 1000;
            if (parts.files.next() != null && !tail.bytes().isToldByTimes()) {
                tail.bytes().doubt();
                parts.verifier.look(tail, nowMs[0]);
            }
            parts.verifier.step(nowMs[0]);
            parts.offload.step();
            return tail.isResting();
        });
    }

    private int filesFound() {
        try {
            parts.watcher.poll(0, parts.dentries);
            return parts.table.all().size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void commit() throws IOException {
        do {
            parts.pipeline.step(NOW_MS, true);
        } while (!parts.pipeline.isIdle());
    }
}
