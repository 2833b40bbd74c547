package io.chagres.sinks.kafka;

import io.chagres.archive.HostRegistry;
import io.chagres.forward.HostSink;
import io.chagres.forward.Sink;
import io.chagres.forward.SinkException;
import io.chagres.forward.SinkFencedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;

/**
 * A forwarding into one cluster. Each host has a transactional id, so that only the last forwarder that opened it can
 * commit. The name of that one stands beside the positions, so that the one before can tell it from a transaction of
 * its own that took too long.
 */
final class KafkaSink implements Sink {
    private final KafkaAddress address;
    private final KafkaSettings settings;
    private final String origin;
    private final boolean takeOver;
    private final TransactionWait wait;
    private final byte[] nonce = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
    private final Set<String> owned = new HashSet<>();

    /**
     * Opens nothing yet.
     *
     * @param origin whose the positions must be; empty for anybody's
     * @param takeOver whether those of another origin are forgotten
     * @param wait of this sink alone
     */
    KafkaSink(KafkaAddress address, KafkaSettings settings, String origin, boolean takeOver, TransactionWait wait) {
        this.address = address;
        this.settings = settings;
        this.origin = origin;
        this.takeOver = takeOver;
        this.wait = wait;
    }

    @Override
    public int maxValueBytes() {
        return settings.maxValueBytes();
    }

    @Override
    public HostSink open(HostRegistry.Owner host) throws IOException {
        String group = settings.name() + "/" + host.id();
        wait.begin(host.title());
        KafkaProducer<byte[], byte[]> producer = null;
        boolean done = false;
        try {
            KafkaPositions positions = KafkaPositions.at(address.brokers(), settings, group);
            requireUndisturbed(host, positions);
            producer = new KafkaProducer<>(settings.producer(address.brokers(), "chagres/" + group));
            producer.initTransactions(); // ends the transaction of the forwarder before, one way or the other
            KafkaPositions.Read left = positions.read(wait);
            wait.end();
            requireOwned(host, left); // another one may have begun since the look: it begins again, and has the host
            if (!takeOver) {
                requireOrigin(host, left); // the owner of the host loses a transaction at most, and begins it again
            }
            producer.beginTransaction(); // says at once who has the host, else the one before would come back
            var _ = producer.send(positions.owner(nonce));
            Map<Long, byte[]> versions = left.versions(); // nobody else can have changed them when the commit is done
            if (!origin.isEmpty() && !left.isOf(origin)) {
                for (long version : versions.keySet()) {
                    var _ = producer.send(positions.forgotten(version));
                }
                var _ = producer.send(positions.origin(origin));
                versions = Map.of();
            }
            producer.commitTransaction();
            owned.add(host.id());
            HostSink opened = new KafkaHostSink(address, settings.headers(), producer, positions, versions);
            done = true;
            return opened;
        } catch (KafkaException e) {
            throw KafkaFailure.of(e);
        } finally {
            if (!done && producer != null) {
                KafkaHostSink.close(producer);
            }
        }
    }

    /** Looks, before anybody is disturbed, whether this one may have the host. */
    private void requireUndisturbed(HostRegistry.Owner host, KafkaPositions positions) throws IOException {
        boolean mine = owned.contains(host.id());
        boolean bound = !origin.isEmpty() && !takeOver;
        if (!mine && !bound) {
            return;
        }
        KafkaPositions.Read settled = positions.readSettled(wait);
        if (mine && settled.claim() != null && !settled.isOwnedBy(nonce)) {
            throw new SinkException("Kafka: another process is about to forward " + host.title(), 0);
        }
        requireOwned(host, settled);
        if (bound && !settled.originMoves()) {
            requireOrigin(host, settled);
        }
    }

    private void requireOwned(HostRegistry.Owner host, KafkaPositions.Read read) throws SinkFencedException {
        if (owned.contains(host.id()) && !read.isOwnedBy(nonce)) {
            throw new SinkFencedException(host.title()
                    + " is forwarded by another process since, under the same name; this one ends. Nothing is"
                    + " lost or doubled. Two that share hosts want --shard, two with different files want --as");
        }
    }

    private void requireOrigin(HostRegistry.Owner host, KafkaPositions.Read read) throws SinkFencedException {
        if (!origin.isEmpty() && !read.isOf(origin) && !read.versions().isEmpty()) {
            throw new SinkFencedException("Kafka has positions of " + host.title()
                    + " from another spool; nothing was published. If another chagres ship runs with that spool give"
                    + " this one a --host of its own; if that spool is lost start with --take-over, which publishes"
                    + " again what is in the files");
        }
    }

    @Override
    public void close() {}
}
