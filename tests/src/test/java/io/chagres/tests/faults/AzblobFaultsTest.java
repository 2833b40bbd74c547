package io.chagres.tests.faults;

import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Turn;
import org.junit.jupiter.api.Tag;

/** An archive in a server of Azure Blob Storage, which has its objects in memory. */
@Tag("e2e")
@Turn(value = 0, of = 2)
class AzblobFaultsTest extends ObjectStoreFaults {
    @Override
    ObjectServer in(FaultBench bench) {
        return bench.inAzure();
    }

    @Override
    boolean keepsObjects() {
        return false;
    }

    @Override
    String slash() {
        return "%2F";
    }

    @Override
    String bucket() {
        return "container";
    }
}
