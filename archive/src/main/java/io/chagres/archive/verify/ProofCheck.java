package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.prove.HostProof;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Says which commits of a host are proven: by the manifest of a checkpoint that a trusted compactor signed, and behind
 * it by a trusted key of the host, in a chain without gaps. It reads all objects that they refer to as they are stored,
 * and counts what no signature covers. Confined to one thread.
 */
public final class ProofCheck {
    private static final String STREAMS = "streams/";
    /** Objects that readers of Chagres read beside commits; data objects last. */
    private static final List<String> UNSIGNED = List.of("checkpoints/", "filters/", "history/", "tables/", STREAMS);

    private final BlobStore store;
    private final String hostId;
    private final HostProof proof;
    /** Objects that are what was signed. */
    private final Set<String> covered = new HashSet<>();

    private final List<Proof.Span> spans = new ArrayList<>();

    /** Makes a check; nothing happens before {@link #run}. */
    public ProofCheck(BlobStore store, String hostId, Trust trust) {
        this.store = store;
        this.hostId = hostId;
        proof = HostProof.of(store, hostId, trust);
    }

    /** Checks everything. */
    public Proof run() throws IOException {
        long next = 1 + checkpoint();
        List<Long> commits = new ArrayList<>(proof.commits());
        Map<Long, String> why = new HashMap<>();
        for (long seq : commits) {
            String fault = proof.fault(seq);
            if (fault != null) {
                why.put(seq, fault);
            }
        }
        Map<Long, String> objects = objectFaults();
        for (long seq : commits) {
            if (seq > next) {
                add(new Proof.Span(next, seq - 1, false, String.valueOf(proof.fault(next))));
            }
            next = seq + 1;
            String fault = why.getOrDefault(seq, objects.get(seq));
            String reason = fault == null ? "signed by " + proof.signer(seq) : fault;
            add(new Proof.Span(seq, seq, fault == null, reason));
        }
        if (next <= proof.end()) {
            add(new Proof.Span(next, proof.end(), false, String.valueOf(proof.fault(next))));
        }
        long provenTo = spans.isEmpty() || !spans.getFirst().proven()
                ? 0
                : spans.getFirst().to();
        for (int i = 1; provenTo > 0 && i < spans.size() && spans.get(i).proven(); i++) {
            provenTo = spans.get(i).to();
        }
        return new Proof(hostId, provenTo, spans, unsigned());
    }

    /** Checks what a compactor signed; returns the commit of that checkpoint, 0 when there is none. */
    private long checkpoint() throws IOException {
        SignedStatement signed = proof.checkpoint();
        if (signed == null) {
            return 0;
        }
        String fault = null;
        for (String key : new TreeSet<>(proof.objects())) {
            String each = proof.namedIn(key) == 0 ? proof.faultOf(key) : null;
            fault = fault == null && each != null ? key + " " + verb(each) : fault;
            if (proof.namedIn(key) == 0 && each == null) {
                covered.add(key);
            }
        }
        long seq = signed.statement().seq();
        String why = fault == null ? "compacted and signed by " + signed.key() : fault;
        add(new Proof.Span(1, seq, fault == null, why));
        return seq;
    }

    /** Says of each commit which of its objects is not what was signed. */
    private Map<Long, String> objectFaults() throws IOException {
        Map<Long, String> faults = new HashMap<>();
        for (String key : new TreeSet<>(proof.objects())) {
            long seq = proof.namedIn(key);
            if (seq > 0 && ArchiveLayout.isData(key)) {
                String fault = proof.faultOf(key);
                if (fault == null) {
                    covered.add(key);
                } else {
                    faults.putIfAbsent(seq, key + " " + verb(fault));
                }
            }
        }
        return faults;
    }

    private static String verb(String fault) {
        return fault.startsWith("it ") ? fault.substring(3) : "is " + fault;
    }

    /** Readers believe tables as they are, and take from them which data objects hold what. */
    private Proof.Unsigned unsigned() throws IOException {
        for (Map.Entry<String, byte[]> each : proof.before().entrySet()) {
            if (proof.is(each.getKey(), each.getValue())) {
                covered.add(each.getKey());
            }
        }
        Counter counter = new Counter();
        SignedStatement signed = proof.checkpoint();
        for (BlobInfo commit : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            long seq = ArchiveLayout.seqOf(commit.key()).orElse(0);
            if (signed != null && seq > 0 && seq <= signed.statement().seq()) {
                counter.take(commit.key());
            }
        }
        for (String folder : UNSIGNED) {
            if (folder.equals(STREAMS) && counter.count == 0) {
                continue; // all that is referred to was compared with a digest
            }
            for (BlobInfo object : BlobList.all(store, ArchiveLayout.host(hostId) + folder, null)) {
                counter.take(object.key());
            }
        }
        return new Proof.Unsigned(counter.count, counter.first == null ? "" : counter.first);
    }

    /** Counts objects that no signature covers. */
    private final class Counter {
        private long count;
        private @Nullable String first;

        void take(String key) {
            if (!covered.contains(key)) {
                first = first == null ? key : first;
                count++;
            }
        }
    }

    private void add(Proof.Span span) {
        Proof.Span last = spans.isEmpty() ? null : spans.getLast();
        if (last != null
                && last.to() == span.from() - 1
                && last.proven() == span.proven()
                && last.why().equals(span.why())) {
            spans.set(spans.size() - 1, new Proof.Span(last.from(), span.to(), last.proven(), last.why()));
        } else {
            spans.add(span);
        }
    }
}
