package io.chagres.tests.faults;

/** The machine that vanishes, with the archive in a server of S3. It measures times, so nothing runs beside it. */
@FaultsInS3Test.InS3
class MachineDiesInS3Test extends MachineDiesTest {
    @Override
    int runsUnlessSaid() {
        return 8;
    }
}
