package io.chagres.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.format.Samples;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests finding and minting hosts. */
class HostRegistryTest {
    private static final Machine MACHINE = new Machine("web1", "m1", "uuid-1", "boot", "6.18");

    private final MemoryStore store = new MemoryStore();

    private String find(String name, Machine machine, String remembered) throws IOException {
        return HostRegistry.findOrMint(store, name, machine, remembered.isEmpty() ? null : remembered, 1000);
    }

    @Test
    void mintsAHostAndFindsItAgain() throws IOException {
        String id = find("web1", MACHINE, "");
        assertThat(ArchiveLayout.isHostId(id)).isTrue();
        assertThat(find("web1", MACHINE, "")).isEqualTo(id);
        assertThat(find("web1", MACHINE, id)).isEqualTo(id);
        assertThat(HostRegistry.hosts(store)).containsExactly(new HostRegistry.Owner(id, "web1", "m1", "uuid-1", 1000));
        assertThat(new String(store.bytes(ArchiveLayout.DESCRIPTION))).isEqualTo("{\"format\": 1}\n");
        assertThat(new String(store.bytes(ArchiveLayout.owner(id))))
                .isEqualTo("format=1\nname=web1\nmachine-id=m1\nproduct-uuid=uuid-1\ncreated=1000\n");
    }

    @Test
    void mintsAnotherForACloneOfTheMachine() throws IOException {
        String id = find("web1", MACHINE, "");
        Machine clone = new Machine("web1", "m1", "uuid-2", "boot", "6.18");
        String other = find("web1", clone, id);
        assertThat(other).isNotEqualTo(id);
        assertThat(find("web1", clone, id)).isEqualTo(other);
        assertThat(find("web1", MACHINE, other)).isEqualTo(id);
    }

    @Test
    void doesNotNeedAProductUuid() throws IOException {
        Machine unprivileged = new Machine("web1", "m1", "", "boot", "6.18");
        String id = find("web1", unprivileged, "");
        assertThat(find("web1", MACHINE, "")).isEqualTo(id);
        assertThat(find("web1", new Machine("web1", "m2", "", "boot", "6.18"), id))
                .isNotEqualTo(id);
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

    @Test
    void givesNoNameThatIsNoFileName() throws IOException {
        for (String name : List.of("../evil", "a/b", "", "..", ".", "a\u0007b", "a\u007fb", "a\u202eb")) {
            MemoryStore hostile = new MemoryStore();
            String record = "format=1\nname=" + name + "\ncreated=x\n";
            String id = "00000000000000aa";
            hostile.putIfAbsent(ArchiveLayout.owner(id), MemorySegment.ofArray(Samples.bytes(record)));
            hostile.putIfAbsent("hosts/evil/host", MemorySegment.ofArray(Samples.bytes("name=x\n")));
            assertThat(HostRegistry.hosts(hostile)).containsExactly(new HostRegistry.Owner(id, id, "", "", 0));
        }
        String id = find("two\nlines", MACHINE, "");
        assertThat(HostRegistry.hosts(store).getFirst())
                .isEqualTo(new HostRegistry.Owner(id, "two lines", "m1", "uuid-1", 1000));
    }
}
