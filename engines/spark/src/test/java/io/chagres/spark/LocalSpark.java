package io.chagres.spark;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Tests that ask an archive by Spark, which runs within this process while those of a class do. */
@Tag("it")
abstract class LocalSpark {
    static SparkSession spark;

    @TempDir
    static Path warehouse = Path.of("");

    /** Where a test has its archive. */
    @TempDir
    Path directory = Path.of("");

    /** The archive of a test, by no keys. */
    final ArchiveAccess archive() {
        return new ArchiveAccess(directory.toString(), null, null);
    }

    @BeforeAll
    static void start() {
        spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.warehouse.dir", warehouse.toString())
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.shuffle.partitions", "2")
                .getOrCreate();
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }
}
