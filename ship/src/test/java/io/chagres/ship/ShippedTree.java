package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A directory and a shipper of it that a test drives on its own thread, and what the archive then holds of it. */
final class ShippedTree implements AutoCloseable {
    final Path tree;
    final Path archive;
    final List<String> problems = new ArrayList<>();
    private final Path state;
    private final int openFiles;
    private final BlobStore store;
    /** Where puts and what runs beside the loop run: on this thread, unless a test says otherwise. */
    Executor workers = Runnable::run;

    int coalesceMs;
    int maxLagMs = 1;
    int heartbeatMs;
    /** The sources that the next shipper follows; everything when there is none. */
    List<Source> sources = List.of();

    Clock clock = Clock.systemUTC();

    /** What the times of files are of. */
    Clock fileClock = Clock.systemUTC();

    /** Whether the next shipper follows links out of the tree. */
    boolean followLinks;

    /** Whether the next shipper looks for copies. */
    boolean copies = true;

    /** What the shipper before found altered or lost. */
    List<String> altered = List.of();

    /** To whom the next shipper encrypts. */
    List<AgeRecipient> recipients = List.of();

    /** Whether the store refuses everything that is put. */
    volatile boolean refuses;

    /** Why the store refuses data objects, while it takes commits; null while it takes them. */
    volatile StoreException.@Nullable Kind refusesObjects;

    /** Whether the store does not say which size a data object has. */
    volatile boolean hidesObjects;

    /** Whether the store gives no bytes of data objects: a rule of it moved them to an archive tier. */
    volatile boolean archivesObjects;

    /** Reads of the store on the thread of the test since the shipper was opened. */
    final AtomicInteger readsHere = new AtomicInteger();

    private final Thread here = Thread.currentThread();
    private @Nullable Shipper shipper;

    ShippedTree(Path temp) throws IOException {
        this(temp, 1000);
    }

    ShippedTree(Path temp, int openFiles) throws IOException {
        this.openFiles = openFiles;
        tree = Files.createDirectory(temp.resolve("tree"));
        archive = temp.resolve("archive");
        state = temp.resolve("state");
        DirectoryStore directory = DirectoryStore.open(Pathname.of(archive.toString()), true);
        store = new ForwardingStore(directory) {
            @Override
            public int get(String key, long offset, MemorySegment target) throws IOException {
                if (Thread.currentThread() == here) {
                    readsHere.incrementAndGet();
                }
                if (archivesObjects && key.contains("/streams/")) {
                    throw new StoreException(key, new IOException(), StoreException.Kind.ARCHIVED);
                }
                return super.get(key, offset, target);
            }

            @Override
            public long size(String key) throws IOException {
                if (hidesObjects && key.contains("/streams/")) {
                    throw new StoreException("503", new IOException());
                }
                return super.size(key);
            }

            @Override
            public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
                refuse();
                return super.putIfAbsent(key, content);
            }

            @Override
            public BlobWriter create(String key) throws IOException {
                refuse();
                StoreException.Kind kind = refusesObjects;
                if (kind != null) {
                    throw new StoreException(key + " is refused", new IOException(), kind);
                }
                return super.create(key);
            }

            private void refuse() throws IOException {
                if (refuses) {
                    throw new StoreException("no space left");
                }
            }
        };
    }

    Path file(String name) {
        return tree.resolve(name);
    }

    static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static void append(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Returns a source of some paths below the tree, committed at once. */
    Source source(String... names) {
        return new Source(
                Stream.of(names).map(each -> file(each).toString()).toList(), List.of(), List.of(), 1, Codec.ZSTD);
    }

    /** Returns how a shipper of these sources works; without any it follows the whole tree. */
    ShipOptions options(List<Source> of) {
        return new ShipOptions(
                of.isEmpty()
                        ? List.of(new Source(List.of(tree.toString()), List.of(), List.of(), maxLagMs, Codec.ZSTD))
                        : of,
                new ShipOptions.Identity("host", null, false, Pathname.of(state.toString())),
                new ShipOptions.Pace(maxLagMs, 60_000, heartbeatMs, 0, coalesceMs),
                new ShipOptions.Storage(1, 16 << 20, copies, recipients, false),
                StartAt.BEGINNING,
                false,
                followLinks);
    }

    Shipper shipper() throws IOException {
        if (shipper == null) {
            shipper = Shipper.open(
                    options(sources).without(altered),
                    store,
                    workers,
                    clock,
                    problems::add,
                    new ShipHost(Machine.current(), openFiles, fileClock));
        }
        return shipper;
    }

    /** Steps until everything is acknowledged and nothing moves. */
    ShippedTree settle() throws IOException {
        Shipper running = shipper();
        int[] still = {0};
        Await.steps("the shipper settles", () -> {
            still[0] = step(running) == 0 && running.status().riskBytes() == 0 ? still[0] + 1 : 0;
            return still[0] > 20;
        });
        return this;
    }

    static int step(Shipper running) {
        try {
            return running.doWork(5);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks for a flush as {@code chagres drain} does, and returns what that hears. */
    FlushAnswer flush() throws IOException {
        Shipper running = shipper();
        Pathname directory = stateOfHost();
        long before = StateDirectory.answer(directory).done();
        running.requestFlush();
        FlushAnswer[] heard = {FlushAnswer.NONE};
        Await.steps("the flush is answered", () -> {
            step(running);
            heard[0] = StateDirectory.answer(directory);
            return heard[0].done() > before;
        });
        return heard[0];
    }

    private Pathname stateOfHost() throws IOException {
        try (Stream<Path> parts = Files.list(state)) {
            return Pathname.of(parts.findFirst().orElseThrow().toString());
        }
    }

    /** Asks until the answer is one of some kind. */
    DrainForecast drillUntil(Predicate<DrainForecast> kind) throws IOException {
        Shipper running = shipper();
        Pathname directory = stateOfHost();
        long[] answered = {StateDirectory.drilled(directory).count()};
        StateDirectory.askDrill(directory);
        DrainForecast[] heard = {DrainForecast.UNKNOWN};
        Await.steps("the drill is answered", () -> {
            step(running);
            DrillAnswer answer = StateDirectory.drilled(directory);
            if (answer.count() == answered[0]) {
                return false;
            }
            answered[0] = answer.count();
            heard[0] = answer.forecast();
            StateDirectory.askDrill(directory);
            return kind.test(heard[0]);
        });
        return heard[0];
    }

    /** Drains and ends the shipper, which must say that everything is safe. */
    ShippedTree drain() throws IOException {
        Shipper running = shipper();
        running.requestDrain();
        Await.steps("the shipper drains", () -> {
            step(running);
            return running.finished();
        });
        assertThat(running.drained()).isTrue();
        assertThat(running.status().riskBytes()).isZero();
        end();
        return this;
    }

    /** Loses what the last shipper left about files whose times say nothing. */
    void forget() throws IOException {
        try (var files = Files.walk(state)) {
            for (Path each : files.filter(file -> file.endsWith("unproven")).toList()) {
                Files.delete(each);
            }
        }
    }

    void end() {
        if (shipper != null) {
            shipper.close();
            shipper = null;
        }
    }

    /** Returns the bytes that the archive holds of a file that has its name; null when it has none. */
    byte @Nullable [] archived(String name) throws IOException {
        NameTree.Entry entry = load().names().find(Pathname.of(file(name).toString()));
        return entry == null || entry.version() == null ? null : content(entry.version());
    }

    HostState load() throws IOException {
        return HostLog.load(
                store, HostRegistry.hosts(store).getFirst().id(), PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    /** Compares every file with the archive, byte by byte. */
    ShippedTree assertArchived() throws IOException {
        String host = HostRegistry.hosts(store).getFirst().id();
        HostState state = load();
        try (var files = Files.walk(tree);
                VersionReader reader = new VersionReader(store, host, state)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                NameTree.Entry entry = state.names().find(Pathname.of(file.toString()));
                assertThat(entry).as("name %s", file).isNotNull();
                FileVersion version = entry.version();
                assertThat(version).as("version of %s", file).isNotNull();
                assertThat(content(reader, version)).as("bytes of %s", file).isEqualTo(Files.readAllBytes(file));
            }
        }
        return this;
    }

    /** Returns the bytes the archive holds of a version. */
    byte[] content(FileVersion version) throws IOException {
        try (VersionReader reader =
                new VersionReader(store, HostRegistry.hosts(store).getFirst().id(), load())) {
            return content(reader, version);
        }
    }

    private static byte[] content(VersionReader reader, FileVersion version) throws IOException {
        byte[] bytes = new byte[(int) version.length()];
        for (int at = 0; at < bytes.length; ) {
            int read = reader.read(version, at, MemorySegment.ofArray(bytes).asSlice(at));
            assertThat(read).isPositive();
            at += read;
        }
        return bytes;
    }

    /** Returns how many bytes the archive stores of its own: no copies and no holes. */
    long storedBytes() throws IOException {
        long bytes = 0;
        for (FileVersion version : load().versions()) {
            for (LogRecord.Extent extent : version.extents()) {
                bytes += extent instanceof LogRecord.Run || extent instanceof LogRecord.ObjectRun ? extent.length() : 0;
            }
        }
        return bytes;
    }

    @Override
    public void close() {
        end();
        store.close();
    }
}
