package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.Workers;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.verify.Proof;
import io.chagres.archive.verify.Verify;
import io.chagres.archive.verify.VerifyFault;
import io.chagres.archive.verify.VerifyListener;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages small archives at random, and gives them to everything that reads or maintains one. No byte is wrong, nothing
 * is missing without a word, and signatures prove only what is whole. Every name, and every byte of every version, that
 * any reader gave before a repair or a compaction is given afterwards.
 */
@Tag("long")
@Order(1)
class NothingLessTest {
    private static final String ID = "0123456789abcdef";
    private static final long DAY = 86_400_000;
    private static final long LAST = 36;

    /** How a host came to be what it is. */
    private enum Life {
        NEVER_COMPACTED,
        WITH_TABLES,
        COMPACTED,
        COMMITS_GONE,
        SIGNED_OFF,
        SIGNED,
        ENCRYPTED
    }

    private static final AgeIdentity IDENTITY = AgeIdentity.generate();
    private static final KeyRing KEYS =
            new KeyRing(List.of(IDENTITY), List.of(IDENTITY.recipient()), List.of(IDENTITY.recipient()));

    private final RandomGenerator random = Seeds.random(Seeds.next("NothingLessTest"));
    private final SigningKey signing = SigningKey.generate();
    private final Map<Long, byte[]> truth = new HashMap<>();

    /** Returns the store as a reader with the keys sees it. */
    private static BlobStore open(Life life, DamagedStore store) {
        return life == Life.ENCRYPTED ? ProtectedStore.of(store, KEYS) : store;
    }

    private DamagedStore archive(Life life) throws IOException {
        DamagedStore damaged = new DamagedStore(new MemoryStore());
        BlobStore store = open(life, damaged);
        if (life == Life.COMPACTED || life == Life.NEVER_COMPACTED) {
            try (Host other = new Host(store, "fedcba9876543210", "web2")) {
                other.file("/other", "of another host\n");
                other.commit();
            }
        }
        try (Host host = new Host(store, ID, "web1", life == Life.SIGNED ? signing : null)) {
            String to = IDENTITY.recipient().toString();
            host.write(life == Life.ENCRYPTED ? new LogRecord.Recipients(to, to) : LogRecord.Recipients.NONE);
            long grows = host.file("/grows", "first\n");
            long big = host.file("/big");
            byte[] lines = "a line that is repeated\n".repeat(12_000).getBytes(StandardCharsets.UTF_8);
            if (life == Life.SIGNED) { // whose objects have a digest that nobody makes here
                host.inline(big, lines);
            } else {
                host.object(big, lines, Codec.ZSTD);
            }
            for (int i = 1; i <= 36; i++) {
                long file = host.file("/d" + i % 3 + "/f" + i, "only here " + i + "\n");
                host.inline(grows, "line " + i + "\n");
                if (i % 7 == 0) {
                    host.copy(file, big, 100, 2000);
                    host.zeros(file, 5000);
                    host.remove("/d" + (i - 3) % 3 + "/f" + (i - 3));
                    host.move("/d" + (i - 2) % 3 + "/f" + (i - 2), "/moved-" + i);
                }
                host.commit();
                lived(life, i, store);
            }
            if (life == Life.SIGNED_OFF) {
                host.write(new LogRecord.IncarnationClosed(true));
                host.commit();
                compact(store, 0);
            }
            host.written.forEach((id, bytes) -> truth.put(id, bytes.toByteArray()));
        }
        new Heartbeat(Heartbeat.State.ENDED, 1, 1000, 0, 0, 0, 0, 0, "test", "", "", 0, 0, LAST).put(store, ID, 1, 1);
        return damaged;
    }

    private static void lived(Life life, int commit, BlobStore store) throws IOException {
        if ((life == Life.WITH_TABLES || life == Life.ENCRYPTED) && commit % 12 == 0) {
            SpanTables.write(store, ID, commit, Map.of());
        }
        if ((commit == 20 && life == Life.COMPACTED)
                || (commit == 24 && (life == Life.COMMITS_GONE || life == Life.ENCRYPTED))) {
            compact(store, life == Life.COMPACTED ? DAY : 0);
        }
    }

    private static void compact(BlobStore store, long graceMs) throws IOException {
        CompactOptions options = new CompactOptions(graceMs, 0, 1, 1 << 20, false);
        new Compact(store, options, () -> Long.MAX_VALUE, (subject, cause) -> {}).host(ID);
    }

    private static List<String> repair(BlobStore store, DamagedStore clock, boolean applies) throws IOException {
        List<String> steps = new ArrayList<>();
        new Repair(
                        store,
                        ID,
                        clock.memory::nowMs,
                        (action, object, why, consequence) -> steps.add(action + " " + object + ": " + why))
                .run(applies);
        return steps;
    }

    /** What was said of an archive. */
    private static final class Checked implements VerifyListener {
        private final List<String> faults = new ArrayList<>();
        private boolean isProven;

        @Override
        public void fault(VerifyFault fault) {
            faults.add(fault.toString());
        }

        @Override
        public void proof(HostRegistry.Owner host, Proof proof) {
            isProven |= host.id().equals(ID) && proof.isWhole();
        }
    }

    private Checked verified(BlobStore store, boolean proves) throws IOException {
        Checked checked = new Checked();
        Trust trust = new Trust(TrustList.read("trust", List.of(TrustList.line(ID, signing.publicKey()))), List.of());
        new Verify(store, Workers.NONE, Tables.any(), checked, proves ? trust : null).run(owner -> true);
        return checked;
    }

    private DamagedStore damaged(DamagedStore whole, List<String> done) throws IOException {
        DamagedStore store = whole.copy();
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            done.add(store.damage(random));
        }
        return store;
    }

    /** Missing objects are named, and nothing is proven that is not whole. */
    private void requireWord(String what, DamagedStore damaged, BlobStore store, ReadableHost now, ReadableHost all)
            throws IOException {
        now.requireTrue(what, truth);
        Checked checked = verified(store, false);
        boolean isWhole = now.isLoaded() && now.isAllOf(all);
        if (!isWhole && !damaged.isSomethingGone()) {
            assertThat(checked.faults).as("%s: what is missing is named", what).isNotEmpty();
        }
        if (!now.isLoaded()) {
            assertThat(checked.faults)
                    .as("%s: what no reader takes is named", what)
                    .isNotEmpty();
        }
        Checked proven = verified(store, true);
        if (proven.isProven && proven.faults.isEmpty() && !damaged.isSomethingGone()) {
            assertThat(isWhole).as("%s: signatures prove all of it", what).isTrue();
        }
    }

    private static void requireUnchanged(String what, DamagedStore store, DamagedStore before) {
        assertThat(store.keys()).as(what).isEqualTo(before.keys());
        for (String key : before.memory.keys()) {
            assertThat(store.memory.bytes(key)).as(what + " " + key).isEqualTo(before.memory.bytes(key));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatCouldBeReadCanBeReadAfterwards(Life life) throws IOException {
        DamagedStore whole = archive(life);
        ReadableHost all = ReadableHost.of(open(life, whole), ID);
        for (int i = Share.count(300); i > 0; i--) {
            List<String> done = new ArrayList<>();
            DamagedStore damaged = damaged(whole, done);
            requireNothingLess(life, life + " " + done, damaged, all);
        }
    }

    private void requireNothingLess(Life life, String what, DamagedStore damaged, ReadableHost all) throws IOException {
        BlobStore store = open(life, damaged);
        ReadableHost before = ReadableHost.of(store, ID);
        requireWord(what, damaged, store, before, all);
        DamagedStore untouched = damaged.copy();
        try {
            repair(store, damaged, false);
            requireUnchanged(what, damaged, untouched);
            repair(store, damaged, true);
        } catch (StoreException e) {
            assertThat(damaged.keys()).as(what + e).isEqualTo(untouched.keys());
            return;
        }
        ReadableHost.of(store, ID).requireAllOf(what, before, all);
        assertThat(ReadableHost.load(store, ID)).as(what).isNotNull();
        assertThat(repair(store, damaged, true)).as("once more after " + what).allSatisfy(step -> assertThat(step)
                .startsWith("LOSS")); // it is said again, and nothing is done
        for (int day = 0; day < 3; day++) {
            compact(store, DAY);
            damaged.memory.advance(DAY + 2000);
        }
        ReadableHost.of(store, ID).requireAllOf("compacted after " + what, before, all);
    }

    /** Frames are whole where the piece that ends in the next one is not: copies of its beginning can be read. */
    @Test
    void copiesOfWhatIsLostStay() throws IOException {
        DamagedStore whole = archive(Life.SIGNED); // whose large file lies in the first commit
        ReadableHost all = ReadableHost.of(whole, ID);
        String first = ArchiveLayout.commit(ID, 1);
        byte[] bytes = whole.memory.bytes(first);
        for (int end = bytes.length - 120; end < bytes.length; end += 20) {
            DamagedStore damaged = whole.copy();
            damaged.memory.replace(first, Arrays.copyOf(bytes, end));
            requireNothingLess(Life.SIGNED, "the first commit ends at " + end, damaged, all);
        }
    }

    /** An object of each kind, whose header of age leads to no key any longer. */
    @Test
    void whatNoIdentityOpensIsDamagedWhereOthersAreOpened() throws IOException {
        DamagedStore whole = archive(Life.ENCRYPTED);
        ReadableHost all = ReadableHost.of(open(Life.ENCRYPTED, whole), ID);
        Map<String, String> kinds = new TreeMap<>();
        for (String key : whole.memory.keys()) {
            if (AgeFile.begins(whole.memory.bytes(key), whole.memory.bytes(key).length)) {
                kinds.put(key.replaceAll("[0-9a-f]{16}", ""), key);
            }
        }
        assertThat(kinds).hasSizeGreaterThan(4);
        for (String key : kinds.values()) {
            for (int at : new int[] {23, 45, 90, 130}) { // the type of a stanza, its share, its body, the code of all
                DamagedStore damaged = whole.copy();
                byte[] bytes = damaged.memory.bytes(key).clone();
                bytes[at] ^= 1;
                damaged.memory.replace(key, bytes);
                requireNothingLess(Life.ENCRYPTED, at + " of " + key, damaged, all);
            }
        }
    }

    /** Later compactions do not destroy what is damaged and not repaired. */
    @ParameterizedTest
    @EnumSource
    void whatCouldBeReadOutlivesCompaction(Life life) throws IOException {
        DamagedStore whole = archive(life);
        ReadableHost all = ReadableHost.of(open(life, whole), ID);
        for (int i = Share.count(150); i > 0; i--) {
            List<String> done = new ArrayList<>();
            DamagedStore damaged = damaged(whole, done);
            BlobStore store = open(life, damaged);
            ReadableHost before = ReadableHost.of(store, ID);
            before.requireTrue(life + " " + done, truth);
            for (int day = 0; day < 3; day++) {
                try {
                    compact(store, DAY);
                } catch (CorruptArchiveException | CompactedHistoryException e) {
                    // it says so, and does nothing
                }
                ReadableHost.of(store, ID).requireAllOf(life + " " + done + " on day " + day, before, all);
                damaged.memory.advance(DAY + 2000);
            }
        }
    }
}
