package io.chagres.tests.faults;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Nested;

/** Scenarios of files and shippers once more, with the archive in a server of S3. */
class FaultsInS3Test {
    /** Marks scenarios whose archive lies in a server of S3. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface InS3 {}

    @Nested
    @InS3
    class Rotation extends RotationFaultsTest {}

    @Nested
    @InS3
    class Logrotate extends LogrotateFaultsTest {}

    @Nested
    @InS3
    class Content extends ContentFaultsTest {}

    @Nested
    @InS3
    class Rewrite extends RewriteFaultsTest {}

    @Nested
    @InS3
    class Move extends MoveFaultsTest {}

    @Nested
    @InS3
    class MachineDies extends MachineDiesTest {
        @Override
        int runsUnlessSaid() {
            return 8;
        }
    }
}
