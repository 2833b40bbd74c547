import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The cost of reading lines in Spark on one core: SparkLines RUNS FORMAT PATH [FORMAT PATH]... reads each in turn and
 * prints for each run what was read, the number of the run, tasks, lines, CPU seconds of the tasks, and seconds. The
 * first run of each is that of the compilers, and not printed. A format is 'text' or 'chagres'; with '+like' behind it,
 * lines that hold a word are taken, not all; with '+fleet', all; with '+plan', tasks are made and none runs.
 */
final class SparkLines {
    private static final AtomicLong CPU_NS = new AtomicLong();
    private static final AtomicLong LINES = new AtomicLong();
    private static final AtomicInteger TASKS = new AtomicInteger();

    private SparkLines() {}

    public static void main(String[] args) throws IOException, TimeoutException {
        try (SparkSession spark = SparkSession.builder()
                .master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.files.maxPartitionBytes", 64 << 20)
                .getOrCreate()) {
            spark.sparkContext().setLogLevel("ERROR");
            spark.sparkContext().addSparkListener(new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                    CPU_NS.addAndGet(end.taskMetrics().executorCpuTime());
                    LINES.addAndGet(end.taskMetrics().inputMetrics().recordsRead());
                    TASKS.incrementAndGet();
                }
            });
            for (int run = 0; run <= Integer.parseInt(args[0]); run++) {
                for (int i = 1; i < args.length; i += 2) {
                    measure(spark, run, args[i], args[i + 1]);
                }
            }
        }
    }

    private static void measure(SparkSession spark, int run, String what, String path) throws TimeoutException {
        String format = what.replaceFirst("[+].*", "");
        String column = format.equals("text") ? "value" : "line";
        CPU_NS.set(0);
        LINES.set(0);
        TASKS.set(0);
        long began = System.nanoTime();
        Dataset<Row> rows = spark.read().format(format).load(path).select(column);
        if (what.endsWith("+plan")) {
            TASKS.set(rows.rdd().getNumPartitions());
        } else if (what.endsWith("+like")) {
            rows = rows.where(column + " like '%status=500%'");
        }
        if (!what.endsWith("+plan")) {
            rows.write().format("noop").mode("overwrite").save();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        spark.sparkContext().listenerBus().waitUntilEmpty();
        if (run > 0) {
            double cpu = CPU_NS.get() / 1e9;
            System.out.printf("%s %d %d %d %.3f %.3f%n", what, run, TASKS.get(), LINES.get(), cpu, seconds);
        }
    }
}
