package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.Turn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An archive in a server of Google Cloud Storage. */
@Tag("e2e")
@Turn(value = 1, of = 2)
class GcsFaultsTest extends ObjectStoreFaults {
    @Override
    ObjectServer in(FaultBench bench) {
        return bench.inGcs();
    }

    @Override
    String content() {
        return "alt=media";
    }

    /** The message names the schemes on offer, and none of a neighbour's. */
    @Test
    void otherSchemesAreRefusedByName(FaultBench bench) {
        Program program = bench.archive().at("oss://bucket/prefix").through().run("ls");
        assertThat(program.exitCode()).isEqualTo(1);
        assertThat(program.err()).contains("no store is known for oss://", "azblob://", "gs://", "s3://");
    }
}
