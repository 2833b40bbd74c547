package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.read.Address;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreTraits;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.LaggingStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.Output;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.TimeOptions;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts the requests of reading commands, as they reach a store that shows a thousand keys at once. */
@Tag("long")
final class FleetRequestsTest {
    private static final String NEEDLE = "7f3a9c21-4b2c-4d1e-9f3a-0123456789ab";
    private static final String NOWHERE = "trace=nowhere-1c9d77aa4be077aa";
    private static final String LATE = "the-last-words-of-a-machine";
    private static final int HOSTS = 300;

    /** What {@link #fleet} adds: it takes seconds to make. */
    private static final MemoryStore FLEET = new MemoryStore();

    /** Of all files together just more than a mebibyte, from which on a host has a filter. */
    private static final int FILE_BYTES = 54 * 1024;

    private static final int FILES = 20;

    /** The files of each machine: one has the needle. */
    private static final List<String> TEXTS = texts();

    private int files = FILES;
    private final MemoryStore store = new MemoryStore();
    private final Map<String, Integer> requests = new ConcurrentSkipListMap<>();

    private static List<String> texts() {
        RandomGenerator random = Seeds.random(7);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            StringBuilder lines = new StringBuilder();
            while (lines.length() < FILE_BYTES) {
                lines.append("request=")
                        .append(Long.toHexString(random.nextLong()))
                        .append(" status=200\n");
            }
            texts.add(lines + (i == 3 ? "request " + NEEDLE + "\n" : ""));
        }
        return texts;
    }

    private void fleet() throws IOException {
        synchronized (FLEET) {
            if (FLEET.keys().isEmpty()) {
                machines(HOSTS, false);
                add(store, FLEET);
                return;
            }
        }
        add(FLEET, store);
    }

    private static void add(MemoryStore from, MemoryStore to) throws IOException {
        for (String key : from.keys()) {
            to.replace(key, from.bytes(key));
        }
    }

    /** Adds machines that are gone and were compacted: with a filter, and no commits unless they shipped again. */
    private void machines(int hosts, boolean wentOn) throws IOException {
        for (int i = 0; i < hosts; i++) {
            machine(String.format("h%03d", i), wentOn);
        }
    }

    private void machine(String name, boolean wentOn) throws IOException {
        MemoryStore own = new MemoryStore();
        try (SmallArchive archive = new SmallArchive(own, name)) {
            for (int i = 0; i < files; i++) {
                long version = archive.file("/log/" + i);
                archive.append(version, TEXTS.get(i)).commit(100 + i);
            }
            SmallArchive.compact(own, 0, Clock.systemUTC());
            SmallArchive.compact(own, 0, Clock.systemUTC());
            if (wentOn) {
                archive.append(archive.file("/log/late"), LATE + "\n").commit(900);
            }
        }
        add(own, store);
    }

    private String hostId(int host) throws IOException {
        return HostRegistry.hosts(store).get(host).id();
    }

    private BlobStore counted(boolean mayLag) {
        FaultyStore counting = new FaultyStore(store, (operation, done) -> {
            if (!done) {
                String[] parts = operation.key().split("/", 4);
                boolean ofNoHost = parts.length < 3 || parts[0].equals("compacted");
                String what = ofNoHost ? parts[0] : parts[2].isEmpty() ? "host as a whole" : parts[2];
                requests.merge(operation.kind() + " " + what, 1, Integer::sum);
            }
        });
        return new ForwardingStore(counting) {
            @Override
            public StoreTraits traits() {
                return StoreTraits.ofCloud(mayLag);
            }
        };
    }

    private String grep(boolean mayLag, String needle, String... addresses) throws IOException {
        requests.clear();
        try (ArchiveView view = ArchiveView.once(
                "grep", counted(mayLag), new TimeOptions(), TemporaryFiles.tables(Map.of()), Assertions::fail)) {
            return search(view, needle, addresses);
        }
    }

    private static String search(ArchiveView view, String needle, String... addresses) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Output output = new Output(out);
        GrepOptions options = new GrepOptions();
        LinePattern pattern =
                LinePattern.of(List.of(needle), new LinePattern.Options(true, false, false, false, false));
        List<Address> all = Stream.of(addresses).map(Address::parse).toList();
        try (WorkerThreads threads = new WorkerThreads("grep-", 8)) {
            GrepPrinter printer = new GrepPrinter(options, false, false, null, Assertions::fail);
            GrepCommand.search(view, all, options.wanted(pattern, false), options, printer, threads.workers(), output);
        }
        output.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    private Map<String, Integer> withoutLists() {
        Map<String, Integer> rest = new TreeMap<>(requests);
        rest.keySet().removeIf(FleetRequestsTest::isList);
        return rest;
    }

    /** A list with a delimiter is one too. */
    private static boolean isList(String request) {
        return request.startsWith("LIST") || request.startsWith("CHILDREN");
    }

    private int lists() {
        return requests.entrySet().stream()
                .filter(each -> isList(each.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private int keysOfHosts() {
        return store.keys("hosts/").size();
    }

    @Test
    void ofANeedleThatIsNowhereInAFleet() throws IOException {
        fleet();
        assertThat(grep(false, NOWHERE)).isEmpty();
        assertThat(withoutLists()).containsExactlyEntriesOf(Map.of("GET filters", HOSTS));
        assertThat(lists()).as("%d keys", keysOfHosts()).isBetween(3, 3 + 3 * keysOfHosts() / 1000);
        assertThat(grep(true, NOWHERE)).isEmpty();
        assertThat(withoutLists())
                .as("a look behind lists that may lag")
                .containsExactlyEntriesOf(new TreeMap<>(Map.of("GET filters", HOSTS, "SIZE log", HOSTS)));
    }

    /** The same fleet, so that finding nothing above means something; a small checkpoint is fetched once. */
    @Test
    void ofANeedleThatIsEverywhere() throws IOException {
        fleet();
        assertThat(grep(false, NEEDLE).lines()).hasSize(HOSTS).first().isEqualTo("h000:/log/3:request " + NEEDLE);
        assertThat(withoutLists()).containsEntry("GET checkpoints", HOSTS).containsEntry("GET filters", HOSTS);
        assertThat(lists()).isBetween(3, 3 + 3 * keysOfHosts() / 1000);
    }

    @Test
    void ofOneHost() throws IOException {
        fleet();
        assertThat(grep(false, NOWHERE, "h007:")).isEmpty();
        assertThat(requests)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "LIST names",
                        1,
                        "GET host",
                        1,
                        "LIST host as a whole",
                        1,
                        "LIST compacted",
                        1,
                        "GET filters",
                        1));
    }

    /** Hosts below a mebibyte have no filter; small objects are fetched at once, without asking for their size. */
    @Test
    void ofASmallHost() throws IOException {
        files = 1;
        machines(1, false);
        assertThat(store.keys("/filters/")).isEmpty();
        assertThat(grep(false, "request=").lines()).hasSizeGreaterThan(1000);
        assertThat(withoutLists())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of("GET checkpoints", 1, "GET streams", 1)));
    }

    /** A glob that no file matches is an error, also where no file's name had to be read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofFilesThatAreNotThere(boolean areThere) throws IOException {
        machines(3, false);
        if (areThere) {
            assertThat(grep(false, NOWHERE, "*:/log/7")).isEmpty();
        } else {
            Assertions.assertThatThrownBy(() -> grep(false, NOWHERE, "*:/log/70"))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("nothing in memory matches *:/log/70");
        }
    }

    /** Later commits are found, and no filter hides them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofHostsThatWentOn(boolean mayLag) throws IOException {
        machines(3, true);
        assertThat(grep(mayLag, LATE).lines()).hasSize(3);
        assertThat(grep(mayLag, NOWHERE)).isEmpty();
        assertThat(withoutLists())
                .as("the commit is read for its names, and once more for its bytes")
                .containsEntry("GET checkpoints", 3)
                .containsEntry("GET filters", 3)
                .containsEntry("GET log", 6);
        assertThat(requests.getOrDefault("SIZE log", 0)).isEqualTo(mayLag ? 3 : 0);
    }

    /** A list that lags shows the checkpoint and not the commit behind it. */
    @Test
    void ofAHostWhoseListsLag() throws IOException {
        machines(1, true);
        MemoryStore whole = store.copy();
        String last = whole.keys("/log/").getLast();
        byte[] commit = whole.bytes(last);
        whole.delete(last);
        LaggingStore lagging = new LaggingStore(whole, 500);
        whole.advance(10_000); // all else is shown
        whole.replace(last, commit);
        try (ArchiveView view = ArchiveView.once(
                "grep", lagging, new TimeOptions(), TemporaryFiles.tables(Map.of()), Assertions::fail)) {
            assertThat(BlobList.all(lagging, last, null)).isEmpty();
            assertThat(search(view, LATE)).isEqualTo("h000:/log/late:" + LATE + "\n");
        }
    }

    /** Heartbeats and commits of a host are more than a list shows. */
    @Test
    void ofAHostOfManyObjects() throws IOException {
        machines(3, false);
        for (int i = 0; i < 1500; i++) {
            store.replace(ArchiveLayout.heartbeat(hostId(0), 1, i), new byte[1]);
            store.replace(ArchiveLayout.object(hostId(1), 9, 0, 1, i, Codec.ZSTD), new byte[1]);
        }
        assertThat(grep(false, NEEDLE).lines()).hasSize(3);
        assertThat(lists()).as("%s", requests).isBetween(4, 2 + 3 * 3);
        assertThat(grep(false, NOWHERE)).isEmpty();
        assertThat(withoutLists()).containsExactlyEntriesOf(Map.of("GET filters", 3));
    }
}
