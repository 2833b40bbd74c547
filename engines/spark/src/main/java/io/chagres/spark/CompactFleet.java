package io.chagres.spark;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * Compacts every host of an archive, one host a task, as a job of Spark:
 * {@code spark-submit --class io.chagres.spark.CompactFleet JAR ARCHIVE}. Shippers may run, and other compactions: of
 * two the first to write its checkpoint counts. {@code spark.chagres.grace} and {@code spark.chagres.retain} are times
 * as {@code 24h} and {@code 30d}: what {@code compact --grace} and {@code --retain} are. Hosts that encrypt need
 * {@code spark.chagres.identity}, the path of a file of identities. A host that cannot be compacted does not hold up
 * the others.
 */
public final class CompactFleet {
    private CompactFleet() {}

    /**
     * What a task did.
     *
     * @param host the name of the host
     * @param objects how many were written
     * @param faults what is damaged, or went wrong
     */
    public record Outcome(String host, long objects, List<String> faults) implements Serializable {}

    /** What of a host a task is for. */
    private record Host(String id, String name) implements Serializable {}

    /**
     * Runs the job; ends with an exception when a host could not be compacted as a whole.
     *
     * @param args the address of the archive
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            throw new IllegalArgumentException("one argument is needed: the address of the archive");
        }
        try (SparkSession spark =
                SparkSession.builder().appName("chagres compact").getOrCreate()) {
            JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
            String identity = context.getConf().get("spark.chagres.identity", "");
            List<Outcome> outcomes = run(context, args[0], IdentityFile.checked(identity.isEmpty() ? null : identity));
            List<String> faults = new ArrayList<>();
            for (Outcome each : outcomes) {
                each.faults().forEach(fault -> faults.add(each.host() + ": " + fault));
            }
            System.out.println("compacted " + outcomes.size() + " hosts into "
                    + outcomes.stream().mapToLong(Outcome::objects).sum() + " objects");
            faults.forEach(System.err::println);
            if (!faults.isEmpty()) {
                throw new IOException(faults.size() + " faults, the first: " + faults.getFirst());
            }
        }
    }

    /** Compacts all hosts; returns what became of each. */
    static List<Outcome> run(JavaSparkContext spark, String archive, @Nullable String identity) throws IOException {
        SparkConf settings = spark.getConf();
        long graceMs = settings.getTimeAsMs("spark.chagres.grace", "1d");
        long retainMs = settings.getTimeAsMs("spark.chagres.retain", "0s");
        List<Host> hosts = new ArrayList<>();
        try (BlobStore store = Question.open(archive, identity, false)) {
            for (HostRegistry.Owner host : HostRegistry.hosts(store)) {
                hosts.add(new Host(host.id(), host.name()));
            }
        }
        return hosts.isEmpty()
                ? List.of()
                : spark.parallelize(hosts, hosts.size())
                        .map(host -> compact(archive, identity, host, graceMs, retainMs))
                        .collect();
    }

    private static Outcome compact(String archive, @Nullable String identity, Host host, long graceMs, long retainMs) {
        List<String> faults = new ArrayList<>();
        Compact.Listener listener = new Compact.Listener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {}

            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                faults.add(subject + ": " + cause.getMessage());
            }
        };
        long objects = 0;
        try (BlobStore store = Question.open(archive, identity, true)) {
            Compact.Options usual = Compact.Options.DEFAULT;
            Compact.Options options =
                    new Compact.Options(graceMs, retainMs, usual.level(), usual.memoryBytes(), usual.dryRun());
            objects = new Compact(store, options, Clock.systemUTC()::millis, listener)
                    .host(host.id())
                    .objectsWritten();
        } catch (IOException e) {
            faults.add(String.valueOf(e.getMessage()));
        }
        return new Outcome(host.name(), objects, List.copyOf(faults));
    }
}
