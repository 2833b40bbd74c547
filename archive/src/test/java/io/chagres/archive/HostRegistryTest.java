package io.chagres.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.format.Samples;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests finding and minting hosts. */
class HostRegistryTest {
    private static final Machine MACHINE = new Machine("web1", "m1", "uuid-1", "boot", "6.18");
    private static final String GIVEN = "00000000000000aa";

    private final MemoryStore store = new MemoryStore();
    private final List<String> requests = new ArrayList<>();

    private static String find(BlobStore store, String name, Machine machine, String remembered) throws IOException {
        return HostRegistry.findOrMint(store, name, machine, remembered.isEmpty() ? null : remembered, 1000);
    }

    private String find(String name, Machine machine, String remembered) throws IOException {
        return find(store, name, machine, remembered);
    }

    private static Machine machine(String machineId, String productUuid) {
        return new Machine("web1", machineId, productUuid, "boot", "6.18");
    }

    private BlobStore counted() {
        requests.clear();
        return new FaultyStore(store, (operation, done) -> {
            if (!done) {
                requests.add(operation.kind() + " " + operation.key());
            }
        });
    }

    private static String summed(String lines) {
        return lines + TextRecord.checksum(lines);
    }

    private List<String> names() throws IOException {
        return HostRegistry.hosts(store).stream().map(HostRegistry.Owner::name).toList();
    }

    @Test
    void mintsAHostAndFindsItAgain() throws IOException {
        String id = find("web1", MACHINE, "");
        assertThat(ArchiveLayout.isHostId(id)).isTrue();
        assertThat(find("web1", MACHINE, "")).isEqualTo(id);
        assertThat(find("web1", MACHINE, id)).isEqualTo(id);
        HostRegistry.Owner found = HostRegistry.hosts(store).getFirst();
        assertThat(HostRegistry.hosts(store)).hasSize(1);
        assertThat(found).isEqualTo(new HostRegistry.Owner(id, "web1", found.createdMs()));
        assertThat(new String(store.bytes(ArchiveLayout.owner(id))))
                .isEqualTo("format=1\nname=web1\nmachine-id=m1\nproduct-uuid=uuid-1\ncreated=1000\n"
                        + "crc32c=ed7a46b5\n");
        assertThat(store.keys("names/"))
                .singleElement()
                .asString()
                .startsWith("names/web1~")
                .endsWith("-" + id);
    }

    @Test
    void mintsAnotherForACloneOfTheMachine() throws IOException {
        String id = find("web1", MACHINE, "");
        Machine clone = machine("m1", "uuid-2");
        String other = find("web1", clone, id);
        assertThat(other).isNotEqualTo(id);
        assertThat(find("web1", clone, id)).isEqualTo(other);
        assertThat(find("web1", clone, "")).isEqualTo(other);
        assertThat(find("web1", MACHINE, other)).isEqualTo(id);
    }

    @Test
    void doesNotNeedAProductUuid() throws IOException {
        String id = find("web1", machine("m1", ""), "");
        assertThat(find("web1", MACHINE, "")).isEqualTo(id);
        assertThat(find("web1", machine("m2", ""), id)).isNotEqualTo(id);
        String known = find("web2", MACHINE, "");
        assertThat(find("web2", machine("m1", ""), "")).isEqualTo(known);
    }

    @Test
    void mintsAnotherForAnotherName() throws IOException {
        assertThat(find("web1", MACHINE, "")).isNotEqualTo(find("web2", MACHINE, ""));
    }

    @Test
    void doesNotTrustWhatIsRemembered() throws IOException {
        for (String remembered : List.of("../../etc", "0000000000000000", "nonsense")) {
            assertThat(ArchiveLayout.isHostId(find("web1", MACHINE, remembered)))
                    .isTrue();
        }
        assertThat(HostRegistry.hosts(store)).hasSize(1);
    }

    /** The same requests however many hosts there are, of other names and of this one. */
    @Test
    void asksTheSameOfALargeArchive() throws IOException {
        String id = find("web1", MACHINE, "");
        for (int i = 0; i < 50; i++) {
            find("web" + i, machine("other" + i, ""), "");
            find("web1", machine("another" + i, "uuid"), "");
        }
        find(counted(), "web1", MACHINE, "");
        assertThat(requests)
                .hasSize(3)
                .allMatch(
                        request -> request.endsWith(id) || request.endsWith(id + "/host") || isListOf(request, "web1"));
        find(counted(), "web1", MACHINE, id);
        assertThat(requests)
                .containsExactly(
                        "GET " + ArchiveLayout.owner(id),
                        "PUT " + store.keys(id).getLast());
        find(counted(), "new", MACHINE, "");
        assertThat(requests)
                .hasSize(4)
                .filteredOn(request -> request.startsWith("LIST"))
                .hasSize(1);
        assertThat(HostRegistry.hosts(counted())).hasSize(102);
        assertThat(requests).containsExactly("LIST names/", "CHILDREN hosts/");
        assertThat(HostRegistry.hosts(counted(), "web7")).hasSize(1);
        assertThat(requests).hasSize(2);
        assertThat(HostRegistry.hosts(store, id)).containsExactly(new HostRegistry.Owner(id, "web1", 1000));
    }

    private static boolean isListOf(String request, String name) {
        return request.startsWith("LIST names/" + name + "~") && request.endsWith("-");
    }

    /** Killed at each operation that changes something, before it or after it, a host is found and is one. */
    @Test
    void isOneHostWhereverItsMintingEnded() throws IOException {
        Set<String> ids = new HashSet<>();
        // it puts the key, the record
        for (int change = 0; change < 2; change++) {
            for (boolean done : new boolean[] {false, true}) {
                MemoryStore fresh = new MemoryStore();
                int at = change;
                BlobStore killed = new FaultyStore(fresh, (operation, after) -> {
                    if (operation.change() == at && after == done) {
                        throw new StoreException("killed", new IOException());
                    }
                });
                assertThatThrownBy(() -> find(killed, "web1", MACHINE, "")).hasMessage("killed");
                String id = find(fresh, "web1", MACHINE, "");
                ids.add(id);
                assertThat(HostRegistry.hosts(fresh)).singleElement().matches(host -> host.id()
                        .equals(id));
                assertThat(fresh.keys("/host")).containsExactly(ArchiveLayout.owner(id));
            }
        }
        assertThat(ids).hasSize(1);
    }

    /** Another machine, or another shipper of this one, does everything between two operations. */
    @Test
    void racesEndWithOneHostForEachMachine() throws IOException {
        Machine clone = machine("m1", "uuid-2");
        for (Machine rival : List.of(MACHINE, clone, machine("m2", "uuid-1"))) {
            for (int at = 0; at < 8; at++) {
                MemoryStore fresh = new MemoryStore();
                int[] operations = {0};
                int moment = at;
                BlobStore raced = new FaultyStore(fresh, (operation, done) -> {
                    if (!done && operations[0]++ == moment) {
                        find(fresh, "web1", rival, "");
                    }
                });
                String id = find(raced, "web1", MACHINE, "");
                String other = find(fresh, "web1", rival, "");
                assertThat(id.equals(other)).isEqualTo(rival.equals(MACHINE));
                assertThat(find(fresh, "web1", MACHINE, "")).isEqualTo(id);
                assertThat(HostRegistry.hosts(fresh, "web1")).hasSize(rival.equals(MACHINE) ? 1 : 2);
            }
        }
    }

    @Test
    void takesAGivenIdUnlessItIsAnothers() throws IOException {
        HostRegistry.claim(store, GIVEN, "web1", MACHINE, 1);
        HostRegistry.claim(store, GIVEN, "web1", MACHINE, 2);
        assertThat(find("web1", MACHINE, "")).isEqualTo(GIVEN);
        assertThatThrownBy(() -> HostRegistry.claim(store, GIVEN, "web1", machine("m2", ""), 3))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("belongs to another machine");
        assertThatThrownBy(() -> HostRegistry.claim(store, GIVEN, "web2", MACHINE, 3))
                .hasMessageContaining("this machine's under the name web1");
        assertThat(names()).containsExactly("web1");
    }

    @Test
    void putsBackTheKeyThatIsMissing() throws IOException {
        String id = find("web1", MACHINE, "");
        for (String remembered : List.of(id, "")) {
            store.keys("names/").forEach(store::delete);
            assertThat(HostRegistry.isListed(store, id)).isFalse();
            assertThat(find("web1", MACHINE, remembered)).isEqualTo(id);
            assertThat(HostRegistry.isListed(store, id)).isTrue();
        }
    }

    /** A key that an expiration rule took hides no host: it is found by its objects, and by its name. */
    @Test
    void findsAHostThatHasLostItsKey() throws IOException {
        String id = find("web1", MACHINE, "");
        String other = find("web2", MACHINE, "");
        store.keys("names/web1").forEach(store::delete);
        HostRegistry.Owner lost = new HostRegistry.Owner(id, "web1", 1000);
        assertThat(HostRegistry.hosts(store)).contains(lost).hasSize(2);
        assertThat(HostRegistry.hosts(store, "web1")).containsExactly(lost);
        assertThat(HostRegistry.hosts(store, id)).containsExactly(lost);
        store.delete(ArchiveLayout.owner(id));
        assertThat(HostRegistry.hosts(store)).singleElement().matches(host -> host.id()
                .equals(other));
        store.replace(ArchiveLayout.commit(id, 7), new byte[1]);
        assertThat(HostRegistry.hosts(store)).contains(new HostRegistry.Owner(id, id, 0));
        assertThat(HostRegistry.hosts(store, "web1")).isEmpty();
        assertThat(HostRegistry.hosts(store, id)).hasSize(1);
    }

    /** Where lists cost nothing a host without its key is found beside one of its name that has it. */
    @Test
    void findsEveryHostOfANameInADirectory(@TempDir Path directory) throws IOException {
        try (BlobStore archive = BlobStores.open(directory.toString(), true)) {
            find(archive, "web1", MACHINE, "");
            String id = find(archive, "web1", machine("m2", ""), "");
            for (BlobInfo key : BlobList.all(archive, ArchiveLayout.NAMES, null)) {
                if (key.key().endsWith(id)) {
                    archive.delete(key.key());
                }
            }
            Files.createDirectory(directory.resolve("hosts/" + GIVEN)); // of a host that somebody removed
            assertThat(HostRegistry.hosts(archive, "web1")).hasSize(2);
            assertThat(HostRegistry.hosts(archive)).hasSize(2);
        }
    }

    /** What a host is found by can be put again whatever is left of it. */
    @Test
    void keepsWhatAHostIsFoundBy() throws IOException {
        String before = find("web1", MACHINE, "");
        String id = HostRegistry.continued(store, before, "web1", MACHINE, 5);
        byte[] record = store.bytes(ArchiveLayout.owner(id));
        HostRegistration registration = Objects.requireNonNull(HostRegistration.recorded(store, id));
        store.delete(registration.nameKey());
        store.delete(ArchiveLayout.owner(id));
        registration.keep(store);
        assertThat(HostRegistry.isListed(store, id)).isTrue();
        assertThat(store.bytes(ArchiveLayout.owner(id))).isEqualTo(record);

        store.delete(ArchiveLayout.owner(id));
        HostRegistration.derived(
                        store,
                        id,
                        new LogRecord.IncarnationOpened(new byte[16], "web1", "m1", "uuid-1", "boot", 1, "test", 5))
                .mendRecord(store);
        assertThat(store.bytes(ArchiveLayout.owner(id))).isEqualTo(record);
    }

    /** A damaged record is nobody's, and one that somebody else put there is his. */
    @Test
    void takesAnotherIdWhereItsOwnIsTaken() throws IOException {
        String id = find(new MemoryStore(), "web1", MACHINE, "");
        for (String record : List.of("garbage", summed("format=1\nname=web1\nmachine-id=evil\n"))) {
            MemoryStore hostile = new MemoryStore();
            hostile.replace(ArchiveLayout.owner(id), Samples.bytes(record));
            String other = find(hostile, "web1", MACHINE, "");
            assertThat(other).isNotEqualTo(id);
            assertThat(find(hostile, "web1", MACHINE, "")).isEqualTo(other);
        }
    }

    /** Where the record is damaged the key says whose the host is: nobody ships everything again for a bit. */
    @Test
    void aDamagedRecordTakesNoHostFromItsMachine() throws IOException {
        String id = find("web1", MACHINE, "");
        byte[] record = store.bytes(ArchiveLayout.owner(id));
        for (int i = 0; i < record.length; i++) {
            record[i] ^= 1;
            for (String remembered : List.of(id, "")) {
                assertThat(find("web1", MACHINE, remembered)).as("byte %d", i).isEqualTo(id);
            }
            record[i] ^= 1;
        }
        record[20] ^= 1;
        assertThat(find("web1", machine("m1", "uuid-2"), "")).isNotEqualTo(id);
    }

    /** A key that leads to another's host neither gives it away nor renames it. */
    @Test
    void believesTheRecordWhereKeysDisagree() throws IOException {
        String id = find("web1", MACHINE, "");
        store.replace(new HostKey("evil", 0, 0, id).text(), new byte[0]);
        store.replace(new HostKey("zzz", 0, 0, id).text(), new byte[0]);
        assertThat(names()).containsExactly("web1");
        assertThat(HostRegistry.hosts(store, "evil")).isEmpty();
        assertThat(HostRegistry.hosts(store, "web1")).hasSize(1);
        store.replace(new HostKey("web9", 0, 0, id).text(), new byte[0]);
        assertThat(find("web9", machine("", ""), "")).isNotEqualTo(id);
    }

    @Test
    void givesNoNameThatIsNoFileName() throws IOException {
        for (String name : List.of("../evil", "a/b", "", "..", ".", "a\u0007b", "a\u007fb", "a\u202eb")) {
            MemoryStore hostile = new MemoryStore();
            hostile.putIfAbsent(new HostKey(name, 1, 2, GIVEN).text(), MemorySegment.ofArray(new byte[0]));
            hostile.putIfAbsent("names/evil", MemorySegment.ofArray(new byte[0]));
            assertThat(HostRegistry.hosts(hostile))
                    .singleElement()
                    .matches(host -> host.id().equals(GIVEN) && host.name().equals(GIVEN));
            hostile.replace(
                    ArchiveLayout.owner(GIVEN), Samples.bytes(summed("format=1\nname=" + name + "\ncreated=x\n")));
            assertThat(HostRegistry.hosts(hostile, GIVEN)).containsExactly(new HostRegistry.Owner(GIVEN, GIVEN, 0));
        }
        String id = find("two\nlines", MACHINE, "");
        assertThat(names()).containsExactly("two lines");
        assertThat(find("two\nlines", MACHINE, "")).isEqualTo(id);
    }
}
