package io.chagres.tests.faults;

import org.junit.jupiter.api.Tag;

/** The machine that vanishes, with the archive in a server of S3. It measures times, so nothing runs beside it. */
@FaultsInS3Test.InS3
@Tag("e2e")
class MachineDiesInS3Test extends MachineDiesTest {
    @Override
    int allRuns() {
        return 40;
    }
}
