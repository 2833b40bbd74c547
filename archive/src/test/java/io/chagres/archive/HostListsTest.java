package io.chagres.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists that hosts share are the lists of the store, and fewer. */
final class HostListsTest {
    private static final byte[] CONTENT = {1};

    private final MemoryStore store = new MemoryStore();
    private final AtomicInteger requests = new AtomicInteger();
    private final FaultyStore counting = new FaultyStore(store, (operation, done) -> {
        if (!done && operation.kind() == Kind.LIST) {
            requests.incrementAndGet();
        }
    });

    private static String id(int host) {
        return ArchiveLayout.hex((host + 1) * 0x9E3779B97F4A7C15L);
    }

    /** Puts as many objects of each kind as a host may have. */
    private void host(String id, RandomGenerator random, int most) {
        store.replace(ArchiveLayout.owner(id), CONTENT);
        for (int i = 1; i <= random.nextInt(most) + 1; i++) {
            store.replace(ArchiveLayout.heartbeat(id, 1, i), CONTENT);
            store.replace(ArchiveLayout.commit(id, i), CONTENT);
            store.replace(ArchiveLayout.object(id, i, 0, 1, 1, Codec.ZSTD), CONTENT);
        }
        for (int i = 1; i <= random.nextInt(4); i++) {
            store.replace(ArchiveLayout.checkpoint(id, new CheckpointId(i, i - 1)), CONTENT);
            store.replace(ArchiveLayout.mark(id, new CheckpointId(i, i - 1)), CONTENT);
            store.replace(ArchiveLayout.filter(id, new CommitSpan(i - 1, i)), CONTENT);
            store.replace(ArchiveLayout.history(id, new CommitSpan(i - 1, i), i), CONTENT);
            store.replace(
                    ArchiveLayout.table(
                            id,
                            CheckpointId.BEGINNING,
                            TableSection.NAMES,
                            new CommitSpan(i, i + random.nextInt(9) + 1)),
                    CONTENT);
        }
    }

    /** What is asked for of a host, in the order in which a load does. */
    private static void compare(BlobStore lists, BlobStore direct, String id) throws IOException {
        List<String> prefixes = List.of(
                ArchiveLayout.checkpoints(id),
                ArchiveLayout.marks(id),
                ArchiveLayout.tables(id, CheckpointId.BEGINNING, TableSection.NAMES),
                ArchiveLayout.log(id),
                ArchiveLayout.filters(id),
                ArchiveLayout.history(id),
                ArchiveLayout.tables(id));
        for (String prefix : prefixes) {
            assertThat(list(lists, prefix, null)).isEqualTo(list(direct, prefix, null));
        }
        String after = ArchiveLayout.commit(id, 3);
        assertThat(list(lists, ArchiveLayout.log(id), after)).isEqualTo(list(direct, ArchiveLayout.log(id), after));
    }

    private static List<BlobInfo> list(BlobStore from, String prefix, @Nullable String after) throws IOException {
        List<BlobInfo> all = new ArrayList<>();
        BlobList.all(from, prefix, after).forEach(all::add);
        return all;
    }

    @ParameterizedTest
    @CsvSource({"5, 200", "200, 60", "700, 40", "2500, 12"})
    void areTheListsOfTheStore(int objects, int hosts) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("HostListsTest"));
        List<String> ids = new ArrayList<>(
                IntStream.range(0, hosts).mapToObj(HostListsTest::id).toList());
        ids.forEach(id -> host(id, random, objects));
        Collections.shuffle(ids, new Random(random.nextLong()));
        HostLists lists = new HostLists(counting);
        lists.expectHosts(ids.subList(0, hosts / 2));
        for (String id : ids.subList(0, hosts / 2)) {
            requests.set(0);
            compare(lists, store, id);
            assertThat(requests.get()).as("eight lists without").isLessThanOrEqualTo(8);
        }
    }

    @Test
    void ofCompactedHostsTakeAListForHundreds() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("HostListsTest.few"));
        List<String> ids = IntStream.range(0, 2000).mapToObj(HostListsTest::id).toList();
        ids.forEach(id -> host(id, random, 1));
        HostLists lists = new HostLists(counting);
        lists.expectHosts(ids);
        for (String id : ids) {
            compare(lists, store, id);
        }
        int keys = store.keys().size();
        assertThat(requests.get()).as("%d keys", keys).isBetween(keys / 1000 / 2, 3 * keys / 2000 + 2);
    }

    /** Threads take hosts in any order: the last ones first is the worst. */
    @Test
    void takeNoMoreWhereTheLastHostComesFirst() throws IOException {
        List<String> ids =
                IntStream.range(0, 300).mapToObj(HostListsTest::id).sorted().toList();
        ids.forEach(id -> host(id, Seeds.random(1), 1));
        HostLists lists = new HostLists(counting);
        lists.expectHosts(ids);
        for (String id : ids.reversed()) {
            compare(lists, store, id);
        }
        int keys = store.keys().size();
        assertThat(requests.get()).as("%d keys", keys).isBetween(keys / 1000 / 2, 3 * keys / 2000 + 2);
    }

    @Test
    void ofOneHostAreOneListAndOneOfMarks() throws IOException {
        host(id(1), Seeds.random(1), 50);
        host(id(2), Seeds.random(2), 50);
        compare(new HostLists(counting), store, id(1));
        assertThat(requests).hasValue(2);
    }

    /** A caller that finds that things changed is shown how they are now. */
    @Test
    void areForgotten() throws IOException {
        List<String> ids = List.of(id(0), id(1));
        ids.forEach(id -> host(id, Seeds.random(1), 3));
        HostLists lists = new HostLists(counting);
        lists.expectHosts(ids);
        compare(lists, store, id(0));
        store.replace(ArchiveLayout.checkpoint(id(0), 9000), CONTENT);
        store.replace(ArchiveLayout.commit(id(0), 9001), CONTENT);
        assertThat(list(lists, ArchiveLayout.log(id(0)), null))
                .isNotEqualTo(list(store, ArchiveLayout.log(id(0)), null));
        lists.forget(ArchiveLayout.host(id(0)));
        compare(lists, store, id(0));
        compare(lists, store, id(1));
    }

    /** What stands before a store that opens objects asks it whether they exist, not how large they are. */
    @Test
    void existenceIsAskedForAsSuch() throws IOException {
        BlobStore opens = new ForwardingStore(new MemoryStore()) {
            @Override
            public long size(String key) {
                throw new AssertionError(key);
            }

            @Override
            public boolean exists(String key) {
                return true;
            }
        };
        assertThat(new HostLists(opens).exists("a")).isTrue();
        assertThat(new FaultyStore(opens, (operation, done) -> {}).exists("a")).isTrue();
    }
}
