package io.chagres.spark;

import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactListener;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.maintain.FleetCompact;
import io.chagres.archive.read.Address;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * Compacts every host of an archive, one host a task, as a job of Spark:
 * {@code spark-submit --class io.chagres.spark.CompactFleet JAR ARCHIVE [HOST:]}. Shippers may run, and other
 * compactions: of two the first to write its checkpoint counts. {@code spark.chagres.grace}, {@code retain},
 * {@code history}, {@code codec} and {@code level} are what the options of {@code compact} with these names are, times
 * as {@code 24h} and {@code 30d}. Hosts that encrypt need {@code spark.chagres.identity}, the path of a file of
 * identities; one that stays as it is for want of it is a fault. A host that cannot be compacted does not hold up the
 * others.
 */
public final class CompactFleet {
    private CompactFleet() {}

    /**
     * The outcome of a task.
     *
     * @param host the name of the host
     * @param objects how many were written
     * @param notes what was made again, and what can no longer be shown
     * @param faults what is damaged, or went wrong
     */
    public record Outcome(String host, long objects, List<String> notes, List<String> faults) implements Serializable {}

    /** The host that a task is for. */
    private record Host(String id, String name) implements Serializable {}

    /**
     * Runs the job; ends with an exception when a host could not be compacted as a whole.
     *
     * @param args the address of the archive, and which hosts of it if not all
     */
    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            throw new IllegalArgumentException("needed are the address of the archive, and at most which hosts of it");
        }
        @Nullable Address hosts = args.length == 1 ? null : Address.parse(args[1]);
        try (SparkSession spark =
                SparkSession.builder().appName("chagres compact").getOrCreate()) {
            JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
            String identity = context.getConf().get("spark.chagres.identity", "");
            ArchiveAccess archive = new ArchiveAccess(args[0], identity.isEmpty() ? null : identity, null);
            List<Outcome> outcomes = run(context, archive, hosts);
            List<String> faults = new ArrayList<>();
            for (Outcome each : outcomes) {
                each.notes().forEach(note -> System.err.println(each.host() + " " + note));
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

    /** The options of a run, for the other machines. */
    private record Settings(long graceMs, long retainMs, long historyMs, Codec codec, int level)
            implements Serializable {
        static Settings of(SparkConf conf) {
            Settings settings = new Settings(
                    conf.getTimeAsMs("spark.chagres.grace", "1d"),
                    conf.getTimeAsMs("spark.chagres.retain", "0s"),
                    conf.getTimeAsMs("spark.chagres.history", "1m"),
                    codec(conf.get("spark.chagres.codec", "zstd")),
                    conf.getInt("spark.chagres.level", 3));
            if (settings.level < 1 || settings.level > settings.codec.maxLevel()) {
                throw new IllegalArgumentException(
                        "spark.chagres.level is from 1 to " + settings.codec.maxLevel() + " with this codec");
            }
            if (settings.historyMs < 1) {
                throw new IllegalArgumentException("spark.chagres.history is more than 0");
            }
            return settings;
        }

        private static Codec codec(String name) {
            return switch (name) {
                case "zstd" -> Codec.ZSTD;
                case "gzip" -> Codec.GZIP;
                default -> throw new IllegalArgumentException("spark.chagres.codec is zstd or gzip");
            };
        }

        CompactOptions options() {
            long memoryBytes = CompactOptions.DEFAULT.memoryBytes();
            return new CompactOptions(graceMs, retainMs, codec, level, memoryBytes, false, historyMs);
        }
    }

    /**
     * Compacts hosts; returns what became of each.
     *
     * @param chosen which; null for all
     */
    static List<Outcome> run(JavaSparkContext spark, ArchiveAccess archive, @Nullable Address chosen)
            throws IOException {
        Settings settings = Settings.of(spark.getConf());
        List<Host> hosts = new ArrayList<>();
        try (BlobStore store = archive.open(false)) {
            for (HostRegistry.Owner host : Address.hosts(store, chosen)) {
                hosts.add(new Host(host.id(), host.name()));
            }
        }
        return hosts.isEmpty()
                ? List.of()
                : spark.parallelize(hosts, hosts.size())
                        .map(host -> compact(archive, host, settings))
                        .collect();
    }

    private static Outcome compact(ArchiveAccess archive, Host host, Settings settings) {
        List<String> notes = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        CompactListener listener = new CompactListener() {
            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                faults.add(subject + " stays as it is: " + cause.getMessage());
            }

            @Override
            public void madeAgain(String object, CorruptArchiveException cause) {
                notes.add(object + ": " + cause.fault() + ". Its bytes are taken from commits and written again");
            }

            @Override
            public void momentsLost(String checkpoint, long fromMs) {
                notes.add(checkpoint + ": moments before " + Instant.ofEpochMilli(fromMs)
                        + " can no longer be shown, since a history is lost");
            }
        };
        long objects = 0;
        try (BlobStore store = archive.open(true)) {
            Compact compact = new Compact(store, settings.options(), Clock.systemUTC()::millis, listener);
            FleetCompact.Outcome outcome =
                    FleetCompact.host(compact, store, new HostRegistry.Owner(host.id(), host.name(), 0));
            objects = outcome.summary().objectsWritten();
            if (outcome.missing() != null) {
                faults.add(String.valueOf(outcome.missing().getMessage()));
            }
        } catch (EncryptedException e) {
            faults.add("stays as it is: " + e.getMessage());
        } catch (IOException e) {
            faults.add(String.valueOf(e.getMessage()));
        }
        return new Outcome(host.name(), objects, List.copyOf(notes), List.copyOf(faults));
    }
}
