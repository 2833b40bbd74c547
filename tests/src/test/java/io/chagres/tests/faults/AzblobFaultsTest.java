package io.chagres.tests.faults;

import io.chagres.testkit.ObjectServer;
import org.junit.jupiter.api.Tag;

/** An archive in a server of Azure Blob Storage, which has its objects in memory. */
@Tag("e2e")
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
