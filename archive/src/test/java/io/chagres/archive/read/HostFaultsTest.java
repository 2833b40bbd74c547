package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.restore.Restore;
import io.chagres.archive.restore.RestoreOptions;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.verify.Verify;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store that refuses objects of one host, as a policy or a bad sector does. */
class HostFaultsTest {
    private static final String BAD = "00000000000000aa";
    private static final String GOOD = "00000000000000bb";

    private final MemoryStore memory = new MemoryStore();
    private final List<String> told = new ArrayList<>();

    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void write() throws IOException {
        for (String id : List.of(BAD, GOOD)) {
            try (Host host = new Host(memory, id, id.equals(BAD) ? "bad" : "good")) {
                host.file("/a", id);
                host.commit();
            }
        }
    }

    /** Refuses what lies under a prefix. */
    private BlobStore refusing(String prefix, boolean lasting) {
        return new FaultyStore(memory, (operation, done) -> {
            boolean reads =
                    operation.kind() == FaultyStore.Kind.GET || operation.key().equals(prefix);
            if (reads && operation.key().startsWith(prefix)) {
                throw new StoreException(operation.key() + ": 403 Forbidden", new IOException(), lasting);
            }
        });
    }

    private long verify(BlobStore store) throws IOException {
        return new Verify(store, Workers.NONE, Tables.any(), fault -> told.add(fault.toString()))
                .run(host -> true)
                .hosts();
    }

    @ParameterizedTest
    @CsvSource({"host, true", "host, false", "log/, true", "log/, false"})
    void verifyGoesOn(String part, boolean lasting) throws IOException {
        assertThat(verify(refusing("hosts/" + BAD + "/" + part, lasting))).isEqualTo(2);
        assertThat(told).allMatch(each -> each.startsWith("hosts/" + BAD)).isNotEmpty();
        assertThat(told.getFirst()).contains("403 Forbidden");
    }

    @ParameterizedTest
    @CsvSource({"log/, true", "log/, false"})
    void restoreGoesOn(String part, boolean lasting) throws IOException {
        BlobStore store = refusing("hosts/" + BAD + "/" + part, lasting);
        Pathname target = Pathname.of(directory.resolve("back").toString());
        try (LocalTables tables = Tables.of(false)) {
            assertThat(new Restore(
                                    store,
                                    RestoreOptions.ALL,
                                    tables,
                                    Workers.NONE,
                                    (subject, cause) -> told.add(subject + ": " + cause))
                            .into(target)
                            .faults())
                    .isEqualTo(1);
        }
        assertThat(Files.readString(directory.resolve("back/good/a"))).isEqualTo(GOOD);
        assertThat(told.getFirst()).startsWith("host ").contains(BAD, "403 Forbidden");
    }

    @Test
    void storeThatDoesNotAnswerIsNoFaultOfAHost() {
        BlobStore gone = new FaultyStore(memory, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.GET || !told.isEmpty()) {
                told.add("gone");
                throw new StoreException("no route to the store", new IOException(), false);
            }
        });
        assertThatThrownBy(() -> verify(gone)).isInstanceOf(StoreException.class);
    }

    /** A record that may be its own is not passed over: a host must not become two. */
    @Test
    void hostIsNotMintedAgainWhileItsRecordIsRefused() throws IOException {
        Machine machine = new Machine("bad", "m", "u", "boot", "6.18");
        BlobStore store = refusing(ArchiveLayout.owner(BAD), true);
        assertThatThrownBy(() -> HostRegistry.findOrMint(store, "bad", machine, BAD, 1))
                .isInstanceOf(StoreException.class);
        Machine other = new Machine("other", "m2", "u2", "boot", "6.18");
        assertThat(ArchiveLayout.isHostId(HostRegistry.findOrMint(store, "other", other, null, 1)))
                .isTrue();
    }
}
