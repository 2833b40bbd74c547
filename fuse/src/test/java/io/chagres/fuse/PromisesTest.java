package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FakeKernel.Answer;
import io.chagres.fuse.wire.Opcode;
import org.junit.jupiter.api.Test;

/** Newer kernels do things for a server that promises something, here over wire bytes. */
class PromisesTest {
    /** Their bits in the second word of flags. */
    private static final int HAS_RESEND = 1 << 7;

    private static final int ALLOW_IDMAP = 1 << 8;
    private static final int REQUEST_TIMEOUT = 1 << 10;
    private static final int ALL = HAS_RESEND | ALLOW_IDMAP | REQUEST_TIMEOUT;

    private static final FuseOptions OPTIONS = FuseOptions.DEFAULTS
            .with(FuseFeature.RESEND, FuseFeature.IDMAPPED_MOUNTS)
            .withRequestTimeout(40_000);

    /** Records what each request says of its caller. */
    private static final class Asking implements FuseFileSystem {
        private boolean again;
        private int uid;

        @Override
        public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
            again = request.isResent();
            uid = request.uid();
            reply.error(Errno.EROFS);
        }
    }

    private final Asking fileSystem = new Asking();

    private Answer init(FuseOptions options, int minor, long flags) {
        try (FakeKernel kernel = new FakeKernel(fileSystem, options)) {
            Answer answer = kernel.init(minor, flags);
            boolean agreed = kernel.session.connection().features().contains(FuseFeature.REQUEST_TIMEOUT);
            assertThat(agreed).isEqualTo((answer.u32(32) & REQUEST_TIMEOUT) != 0);
            return answer;
        }
    }

    @Test
    void areMadeWhereTheyAreAskedForAndTheKernelKnowsThem() {
        Answer all = init(OPTIONS, 45, FakeKernel.ALL_FLAGS);
        assertThat(all.u32(32) & ALL).isEqualTo(ALL);
        assertThat(all.u16(40)).isEqualTo(40_000);
        Answer none = init(FuseOptions.DEFAULTS, 45, FakeKernel.ALL_FLAGS);
        assertThat(none.u32(32) & ALL).isZero();
        assertThat(none.u16(40)).isZero();
        Answer old = init(OPTIONS, 39, FakeKernel.ALL_FLAGS & ~((long) ALL << 32));
        assertThat(old.u32(32) & ALL).isZero();
        assertThat(old.u16(40)).isZero();
        Answer taken = init(OPTIONS.withRequestTimeout(0), 45, FakeKernel.ALL_FLAGS);
        assertThat(taken.u32(32) & ALL).isEqualTo(ALL & ~REQUEST_TIMEOUT);
        assertThat(taken.u16(40)).isZero();
    }

    @Test
    void mustBePossible() {
        assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withDefaultPermissions(false));
        assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withRequestTimeout(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withRequestTimeout(65_536));
        assertThat(OPTIONS.withRequestTimeout(65_535).requestTimeoutS()).isEqualTo(65_535);
    }

    @Test
    void tellWhetherARequestWasSentBefore() {
        try (FakeKernel kernel = FakeKernel.started(fileSystem, OPTIONS)) {
            Bytes mkdir = Bytes.none().u32(0755).u32(022).name("made");
            kernel.call(Opcode.MKDIR, 1, mkdir);
            assertThat(fileSystem.again).isFalse();
            Answer answer = kernel.callAgain(Opcode.MKDIR, 1, mkdir);
            assertThat(fileSystem.again).isTrue();
            assertThat(answer.error()).isEqualTo(Errno.EROFS);
            assertThat(answer.unique()).isEqualTo(kernel.lastUnique() | 1L << 63);
            assertThat(fileSystem.uid).isEqualTo(1000);
        }
    }
}
