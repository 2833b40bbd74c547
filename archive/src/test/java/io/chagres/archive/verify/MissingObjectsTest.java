package io.chagres.archive.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.maintain.Repair;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects that should be there follow from those that are there. */
class MissingObjectsTest extends VerifyFixture {
    private void compact() throws IOException {
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(ID);
    }

    private void delete(String part) {
        store.keys(part).forEach(store::delete);
    }

    /** A host without its checkpoint, or without its log, still has objects: they say what is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"/history/", "/streams/", "/host"})
    void namesACheckpointThatIsMissingAndNoGarbage(String left) throws IOException {
        fill().close();
        compact();
        delete("/checkpoints/");
        for (String other : List.of("/history/", "/streams/", "/host")) {
            if (!other.equals(left)) {
                delete(other);
            }
        }
        VerifySummary summary = verify();
        assertThat(faults)
                .anyMatch(fault -> fault.object().equals(ArchiveLayout.commit(ID, 1))
                        && fault.what().contains("it is missing"));
        assertThat(garbage).isEmpty();
        assertThat(summary.orphanObjects()).isEqualTo(store.keys("/streams/").size());
        List<String> keys = store.keys("/streams/");
        compact();
        assertThat(store.keys("/streams/")).isEqualTo(keys);
    }

    @Test
    void namesAHostOfWhichOnlyTheNameIsLeft() throws IOException {
        fill().close();
        delete("hosts/");
        assertThat(verify().hosts()).isOne();
        assertThat(faults).isNotEmpty().allMatch(fault -> fault.object().startsWith("hosts/" + ID));
    }

    /** What was put behind a commit shows that it is missing, although what is left is a whole log. */
    @Test
    void namesTheEndOfALogThatIsMissing() throws IOException {
        Host host = fill();
        host.object(host.file("/d/last"), new byte[100], Codec.ZSTD);
        long last = host.commit();
        host.close();
        new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0).put(store, ID, last, 1);
        verify();
        assertThat(faults).isEmpty();
        store.delete(ArchiveLayout.commit(ID, last));
        VerifySummary summary = verify();
        assertThat(faults).singleElement().satisfies(fault -> {
            assertThat(fault.object()).isEqualTo(ArchiveLayout.commit(ID, last));
            assertThat(fault.what()).contains("it is missing", "/alive/");
        });
        assertThat(summary.orphanObjects()).isOne();
        assertThat(garbage).isEmpty();
        List<String> objects = store.keys("/streams/");
        compact();
        assertThat(store.keys("/streams/")).containsAll(List.of(objects.getLast()));
    }

    /** Nothing but the newest heartbeat knows how far the log went, and not by its key. */
    @Test
    void namesCommitsThatAHeartbeatKnewToBeAcknowledged() throws IOException {
        Host host = fill();
        host.object(host.file("/d/last"), new byte[100], Codec.ZSTD);
        long last = host.commit();
        host.close();
        new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 1).put(store, ID, 1, 1);
        new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, last).put(store, ID, 1, 2);
        verify();
        assertThat(faults).isEmpty();
        store.delete(ArchiveLayout.commit(ID, last));
        store.delete(ArchiveLayout.commit(ID, last - 1));
        assertThat(verify().orphanObjects()).isOne();
        assertThat(faults).singleElement().satisfies(fault -> {
            assertThat(fault.object()).isEqualTo(ArchiveLayout.commit(ID, last - 1));
            assertThat(fault.what()).contains("it is missing, and all up to commit " + last, "/alive/");
        });
        assertThat(repair()).isPositive();
        verify();
        assertThat(faults).isEmpty();
    }

    /** Compacted commits are not missing, and a heartbeat that cannot be read witnesses nothing. */
    @Test
    void asksNothingOfALogThatWasCompacted() throws IOException {
        fill().close();
        new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 4).put(store, ID, 1, 1);
        compact();
        delete("/log/");
        verify();
        assertThat(faults).isEmpty();
    }

    /** Once repaired nothing is missing, and what may be the only copy stays until somebody says otherwise. */
    @Test
    void keepsWhatMayBeTheOnlyCopyBehindARepair() throws IOException {
        Host host = fill();
        host.object(host.file("/d/last"), new byte[100], Codec.ZSTD);
        String only = store.keys("/streams/0000000000000004/").getFirst();
        long last = host.commit();
        host.close();
        new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0).put(store, ID, last, 1);
        store.delete(ArchiveLayout.commit(ID, last));
        assertThat(repair()).isPositive();
        assertThat(verify().orphanObjects()).isOne();
        assertThat(faults).isEmpty();
        assertThat(repair()).isZero();
        compact();
        compact();
        assertThat(store.keys()).contains(only);
        assertThat(verify().orphanObjects()).isPositive();
        assertThat(faults).isEmpty();
        delete("quarantine/");
        verify();
        assertThat(faults).isEmpty();
        assertThat(garbage).contains(only);
    }

    private long repair() throws IOException {
        return new Repair(store, ID, store::nowMs, (action, object, why, consequence) -> {}).run(true);
    }

    /** A shipper that encrypts cannot open the bytes that it wrote: whether a commit is there needs no key. */
    @Test
    void missesNothingThatItCannotOpen() throws IOException {
        List<AgeRecipient> owner = List.of(AgeIdentity.generate().recipient());
        BlobStore shipper = ProtectedStore.of(store, KeyRing.writing(AgeIdentity.generate(), owner));
        try (Host host = new Host(shipper, ID, "web1")) {
            host.file("/d/file", "bytes of the owner\n");
            long last = host.commit();
            new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, last)
                    .put(store, ID, 1, 1);
            assertThat(LogWitness.missing(shipper, ID)).isNull();
            store.delete(ArchiveLayout.commit(ID, last));
            assertThat(LogWitness.missing(shipper, ID)).isNotNull();
        }
    }

    /** Objects that follow from the log are made again, and those that only save time are set aside. */
    @Test
    void isGreenBehindARepairOfWhatIsBesideTheLog() throws IOException {
        try (Host host = fill()) {
            byte[] lines = "a line with an identity-of-its-own\n".repeat(50_000).getBytes(StandardCharsets.UTF_8);
            host.object(host.file("/d/lines"), lines, Codec.ZSTD);
            host.commit();
        }
        new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0).put(store, ID, 1, 1);
        compact();
        for (String part : List.of("/filters/", "/alive/", ID + "/host")) {
            String key = store.keys(part).getFirst();
            store.replace(key, Arrays.copyOf(store.bytes(key), store.bytes(key).length / 2));
            store.advance(3 * Heartbeat.USUAL_INTERVAL_MS); // whose heartbeat is damaged may have spoken just now
            verify();
            assertThat(faults).as(part).isNotEmpty();
            assertThat(repair()).as(part).isPositive();
            verify();
            assertThat(faults).as(part).isEmpty();
            assertThat(store.keys("quarantine/" + key)).as(part).hasSize(1);
        }
        delete("quarantine/");
        delete("/history/");
        verify();
        assertThat(faults).isNotEmpty();
        assertThat(repair()).isOne();
        verify();
        assertThat(faults).isEmpty();
        delete("names/");
        store.delete(ArchiveLayout.owner(ID));
        verify();
        assertThat(faults).isNotEmpty();
        assertThat(repair()).isEqualTo(2);
        verify();
        assertThat(faults).isEmpty();
        assertThat(repair()).isZero();
    }

    /** An empty object with the name of an owner record is removed, and the record put. */
    @ParameterizedTest
    @ValueSource(strings = {"link", "directory", "fifo"})
    void isGreenBehindARepairOfAnOwnerRecordThatIsNoObject(String what, @TempDir Path directory) throws Exception {
        fill().close();
        for (String key : store.keys()) {
            Path file = directory.resolve(key);
            Files.createDirectories(file.getParent());
            Files.write(file, store.bytes(key));
        }
        Path owner = directory.resolve(ArchiveLayout.owner(ID));
        Files.delete(owner);
        switch (what) {
            case "link" -> Files.createSymbolicLink(owner, Path.of("/dev/zero"));
            case "directory" -> Files.createDirectory(owner);
            default -> Program.ok("mkfifo", owner.toString());
        }
        try (DirectoryStore replaced = DirectoryStore.open(Pathname.of(directory.toString()), false)) {
            verify(replaced);
            assertThat(faults).isNotEmpty();
            new Repair(replaced, ID, () -> 0, (action, object, why, consequence) -> {}).run(true);
            verify(replaced);
            assertThat(faults).isEmpty();
        }
    }

    /** A store that does not give an object has said nothing of it. */
    @Test
    void callsNothingDamagedThatWasNotAnswered() throws IOException {
        fill().close();
        for (String key : store.keys("hosts/")) {
            BlobStore archived = refusing(key, StoreException.Kind.ARCHIVED);
            assertThat(verify(archived).unanswered()).as(key).isOne();
            assertThat(faults).as(key).isEmpty();
            assertThatExceptionOfType(StoreException.class)
                    .as(key)
                    .isThrownBy(() -> verify(refusing(key, StoreException.Kind.BUSY)));
            List<String> keys = store.keys();
            for (StoreException.Kind kind : List.of(StoreException.Kind.ARCHIVED, StoreException.Kind.BUSY)) {
                if (!key.contains("/streams/")) { // repair asks no data object
                    assertThatExceptionOfType(StoreException.class).as(key).isThrownBy(() -> new Repair(
                                    refusing(key, kind), ID, store::nowMs, (action, object, why, lost) -> {})
                            .run(true));
                }
            }
            assertThat(store.keys()).isEqualTo(keys);
        }
    }

    private BlobStore refusing(String key, StoreException.Kind kind) {
        return new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.GET && operation.key().equals(key)) {
                throw new StoreException("not now", new IOException(), kind);
            }
        });
    }
}
