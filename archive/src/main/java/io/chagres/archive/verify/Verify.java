package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.ObjectKind;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Workers;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Statement;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.state.KeyCheck;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks an archive. Commits must follow each other without gaps, and each must name the one before it. Every checksum
 * must fit. The bytes of every version must be there without gaps. Every object a commit or checkpoint refers to must
 * exist and have its size. Checkpoints must say what the commits say. It reads everything. Confined to one thread,
 * beside which workers read data objects.
 */
public final class Verify {
    private final BlobStore store;
    private final VerifyCounter counter;
    private final Workers workers;
    private final LocalTables tables;
    private final VerifyListener listener;
    private final @Nullable Trust trust;

    /**
     * Makes a check; nothing happens before {@link #run}. The listener hears of everything on the caller's thread.
     *
     * @param tables where large hosts are meanwhile; stays the caller's
     */
    public Verify(BlobStore store, Workers workers, LocalTables tables, VerifyListener listener) {
        this(store, workers, tables, listener, null);
    }

    /**
     * Makes a check that also says what signatures prove.
     *
     * @param trust whose signatures count; null to ask for none
     */
    public Verify(
            BlobStore store, Workers workers, LocalTables tables, VerifyListener listener, @Nullable Trust trust) {
        this.tables = tables;
        this.store = store;
        this.workers = workers;
        this.listener = listener;
        this.trust = trust;
        counter = new VerifyCounter(listener);
    }

    /**
     * Checks hosts.
     *
     * @param hosts which hosts; those that have no key by which they are found are always checked
     * @throws IOException when the store does not answer
     */
    public VerifySummary run(Predicate<HostRegistry.Owner> hosts) throws IOException {
        HostFaults faults = new HostFaults(
                store,
                (host, cause) -> counter.fault(
                        ArchiveLayout.HOSTS + host.id(), cause, "the rest of " + host.title() + " is not checked"));
        Map<String, HostRegistry.Owner> found = new HashMap<>();
        HostRegistry.hosts(store).forEach(owner -> found.put(owner.id(), owner));
        Set<String> ids = new TreeSet<>(store.children(ArchiveLayout.HOSTS));
        ids.addAll(found.keySet());
        for (String id : ids) {
            HostRegistry.Owner owner = found.get(id);
            if (owner == null || hosts.test(owner)) {
                counter.host();
                checkRecord(id, owner);
                HostRegistry.Owner named = owner == null ? new HostRegistry.Owner(id, id, 0) : owner;
                faults.attempt(named, () -> check(id));
                prove(named);
            }
        }
        if (trust != null) {
            checkThatHeadsHaveHosts(trust);
        }
        return counter.summary();
    }

    private void prove(HostRegistry.Owner host) throws IOException {
        if (trust != null) {
            listener.proof(host, new ProofCheck(store, host.id(), trust).run());
        }
    }

    private void checkThatHeadsHaveHosts(Trust asked) throws IOException {
        Set<String> there = new HashSet<>(store.children(ArchiveLayout.HOSTS));
        for (SignedStatement head : asked.heads()) {
            Statement named = head.statement();
            if (asked.counts(head) && !there.contains(named.hostId())) {
                HostRegistry.Owner gone = new HostRegistry.Owner(named.hostId(), named.hostId(), 0);
                Proof.Span all = new Proof.Span(1, named.seq(), false, "missing, though a head names the host");
                listener.proof(gone, new Proof(named.hostId(), 0, List.of(all), Proof.Unsigned.NONE));
            } else if (!asked.counts(head)) {
                counter.fault(
                        ArchiveLayout.commit(named.hostId(), named.seq()),
                        "the head that names it is signed by nobody whom the trust file names",
                        "it proves nothing");
            }
        }
    }

    private void checkRecord(String hostId, HostRegistry.@Nullable Owner owner) throws IOException {
        String key = ArchiveLayout.owner(hostId);
        try {
            String name = HostRegistry.recordedName(store, hostId);
            boolean isKnown =
                    owner != null && (owner.name().equals(name) || owner.name().equals(hostId));
            if (!isKnown || !HostRegistry.isListed(store, hostId)) {
                counter.fault(
                        key,
                        "no key of " + ArchiveLayout.NAMES + " leads to it",
                        "lists of names do not show this host; 'chagres repair' puts the key");
            }
        } catch (NoSuchBlobException e) {
            counter.fault(key, "it is missing", "another host may get this id");
        } catch (CorruptArchiveException e) {
            counter.fault(key, e, "a shipper that lost its state does not find this host");
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            counter.fault(key, e, "a shipper that lost its state does not find this host");
        }
    }

    private void check(String hostId) throws IOException {
        CorruptArchiveException gap = LogWitness.unbegun(store, hostId);
        if (gap != null) {
            counter.fault(gap, "what was committed by it can be read only as far as something else says the same");
        }
        Quarantine quarantine = Quarantine.tryRead(store, hostId);
        try (HostVerify host = new HostVerify(store, hostId, counter, workers, tables, quarantine)) {
            host.run();
        } catch (EncryptedException e) {
            unopened(hostId, e);
            new SealedVerify(ProtectedStore.stored(store), hostId, counter, quarantine).run();
        } finally {
            tables.release(hostId);
        }
        if (quarantine.refusal() != null && counter.hasFaultsOfHost()) {
            counter.fault(
                    ArchiveLayout.quarantine(hostId),
                    "it cannot be listed: " + quarantine.refusal().getMessage(),
                    "nobody knows here which of these faults a repair named before; give the right to list it");
        }
    }

    /** Says so where the identities are right; bytes of files may be for others than records. */
    private void unopened(String hostId, EncryptedException cause) throws IOException {
        ObjectKind kind = ArchiveLayout.kindOf(cause.object());
        if (kind == ObjectKind.COMMIT || kind == ObjectKind.RECORDS) {
            try {
                counter.fault(KeyCheck.ofObject(store, hostId, cause), "what else needs a key is not checked here");
            } catch (EncryptedException e) {
                // nothing of this host is for the identities that were given
            }
        }
    }
}
