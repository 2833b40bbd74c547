package io.chagres.tests.faults;

import io.chagres.testkit.Turn;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Scenarios of files and shippers once more, with the archive in a server of S3. Some things are slower there, or read
 * back: commits, large objects, and the bytes that a shipper compares with the archive. Rotations by name and moves
 * between directories are decided before anything reaches a store, so they are not repeated. The classes run beside
 * each other: most of their time is waiting.
 */
@Tag("e2e")
@Order(1)
class FaultsInS3Test {
    /** Marks scenarios whose archive lies in a server of S3. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface InS3 {}

    @Nested
    @InS3
    @Turn(value = 0, of = 3)
    @Execution(ExecutionMode.CONCURRENT)
    class Logrotate extends LogrotateFaultsTest {}

    @Nested
    @InS3
    @Turn(value = 1, of = 3)
    @Execution(ExecutionMode.CONCURRENT)
    class Content extends ContentFaultsTest {}

    @Nested
    @InS3
    @Turn(value = 2, of = 3)
    @Execution(ExecutionMode.CONCURRENT)
    class Rewrite extends RewriteFaultsTest {}
}
