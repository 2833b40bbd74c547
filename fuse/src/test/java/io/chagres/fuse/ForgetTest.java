package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that the kernel forgets are forgotten, whatever a file system does about one of them. */
class ForgetTest {
    private static final int FAULTY = 6;

    /** Has a fault at one node. */
    private static final class Forgetful implements FuseFileSystem {
        private final List<Long> forgotten = new ArrayList<>();

        @Override
        public void forget(long node, long lookups) {
            if (node == FAULTY) {
                throw new IllegalStateException("as the test wants");
            }
            forgotten.add(node);
        }
    }

    @Test
    void aFaultAtOneNodeDropsNoOther() {
        Forgetful fileSystem = new Forgetful();
        try (FakeKernel kernel = FakeKernel.started(fileSystem, FuseOptions.DEFAULTS)) {
            Bytes batch = Bytes.none().u32(3).u32(0);
            for (long node : new long[] {5, FAULTY, 7}) {
                batch.u64(node).u64(1);
            }
            assertThat(kernel.call(Opcode.BATCH_FORGET, 0, batch)).isNull();
            assertThat(fileSystem.forgotten).containsExactly(5L, 7L);
            assertThat(kernel.session.statistics().failures()).isEqualTo(1);

            assertThat(kernel.call(Opcode.FORGET, FAULTY, Bytes.none().u64(1))).isNull();
            assertThat(kernel.session.statistics().failures()).isEqualTo(2);
            assertThat(kernel.session.statistics().errors()).doesNotContainKey("forget");
        }
    }
}
