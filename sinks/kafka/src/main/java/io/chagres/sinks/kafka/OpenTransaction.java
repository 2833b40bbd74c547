package io.chagres.sinks.kafka;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.TopicPartition;

/** Says whose the first transaction of a partition is that is open. Nothing behind it can be read as committed. */
final class OpenTransaction {
    private OpenTransaction() {}

    /**
     * Returns who and where, and what ends it, for people; without the names if the cluster does not tell them. Empty
     * when none is open.
     */
    static String describe(Admin admin, TopicPartition partition) throws InterruptedException {
        try {
            Collection<ProducerState> producers = admin.describeProducers(List.of(partition))
                    .partitionResult(partition)
                    .get()
                    .activeProducers();
            ProducerState first = producers.stream()
                    .filter(each -> each.currentTransactionStartOffset().isPresent())
                    .min(Comparator.comparingLong(OpenTransaction::start))
                    .orElse(null);
            return first == null ? "" : describe(admin, partition, first);
        } catch (ExecutionException e) {
            return "a transaction is open in " + partition + ", and the cluster does not say whose: "
                    + KafkaFailure.message(e);
        }
    }

    private static String describe(Admin admin, TopicPartition partition, ProducerState of)
            throws ExecutionException, InterruptedException {
        Collection<TransactionListing> known = admin.listTransactions(
                        new ListTransactionsOptions().filterProducerIds(Set.of(of.producerId())))
                .all()
                .get();
        String whose = known.stream()
                .map(each -> "the transaction of " + each.transactionalId() + " (" + each.state() + ")")
                .findFirst()
                .orElse("a transaction whose id is not told");
        return whose + " by producer " + of.producerId() + " is open in " + partition + " from offset " + start(of)
                + ", last written to at " + Instant.ofEpochMilli(of.lastTimestamp())
                + ". Its process or its timeout ends it, or 'kafka-transactions.sh abort --topic " + partition.topic()
                + " --partition " + partition.partition() + " --start-offset " + start(of) + "'";
    }

    private static long start(ProducerState of) {
        return of.currentTransactionStartOffset().orElseThrow();
    }
}
