package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FakeKernel.Answer;
import io.chagres.fuse.wire.Opcode;
import org.junit.jupiter.api.Test;

/** Files that the kernel reads and writes itself, and what it says about who makes a name. */
class PassthroughTest {
    private static final FuseOptions OPTIONS =
            FuseOptions.DEFAULTS.with(FuseFeature.PASSTHROUGH, FuseFeature.KEEP_CACHE, FuseFeature.CREATE_GROUP);

    private static final int PASSTHROUGH = 1 << 7;

    /** Answers with one backing file. */
    private static final class Lending implements FuseFileSystem {
        private int backing;
        private int group;

        @Override
        public void open(Request request, long node, int flags, OpenReply reply) {
            reply.opened(7, OpenReply.NOFLUSH, backing);
        }

        @Override
        public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
            reply.created(9, reply.attributes().file(mode, 0), 7, 0, backing);
        }

        @Override
        public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
            group = request.supplementaryGroup();
            reply.error(Errno.EROFS);
        }
    }

    private final Lending fileSystem = new Lending();

    @Test
    void agreesOnOneFileSystemBelow() {
        try (FakeKernel kernel = new FakeKernel(fileSystem, OPTIONS)) {
            Answer init = kernel.init(45, FakeKernel.ALL_FLAGS);
            assertThat(init.u32(32) & 1 << 5).isNotZero();
            assertThat(init.u32(36)).isEqualTo(1);
        }
        try (FakeKernel kernel = new FakeKernel(fileSystem, OPTIONS)) {
            Answer init = kernel.init(39, FakeKernel.ALL_FLAGS & ~(1L << 37));
            assertThat(init.u32(32) & 1 << 5).isZero();
            assertThat(init.u32(36)).isZero();
        }
    }

    @Test
    void namesTheBackingFile() {
        try (FakeKernel kernel = FakeKernel.started(fileSystem, OPTIONS)) {
            fileSystem.backing = 3;
            Answer open = kernel.call(Opcode.OPEN, 5, Bytes.none().u64(0));
            assertThat(open.u64(0)).isEqualTo(7);
            // The kernel refuses the flag of KEEP_CACHE beside this one.
            assertThat(open.u32(8)).isEqualTo(PASSTHROUGH | OpenReply.NOFLUSH);
            assertThat(open.u32(12)).isEqualTo(3);
            Bytes create = Bytes.none().u32(0).u32(0100644).u32(0).u32(0).name("a");
            Answer created = kernel.call(Opcode.CREATE, 1, create);
            assertThat(created.u64(128)).isEqualTo(7);
            assertThat(created.u32(128 + 8)).isEqualTo(PASSTHROUGH);
            assertThat(created.u32(128 + 12)).isEqualTo(3);
            fileSystem.backing = -Errno.EPERM;
            assertThat(kernel.call(Opcode.OPEN, 5, Bytes.none().u64(0)).error()).isEqualTo(Errno.EIO);
        }
    }

    @Test
    void lendsFilesAndTakesThemBack() {
        try (FakeKernel kernel = FakeKernel.started(fileSystem, OPTIONS)) {
            kernel.device.commandResult = 12;
            assertThat(kernel.session.notifier.openBackingFile(5)).isEqualTo(12);
            kernel.device.commandResult = -Errno.ENOENT;
            assertThat(kernel.session.notifier.closeBackingFile(12)).isEqualTo(-Errno.ENOENT);
            assertThat(kernel.device.commands.getFirst())
                    .isEqualTo(
                            Bytes.none().u64(0x4010e501L).u32(5).u32(0).u64(0).array());
            assertThat(kernel.device.commands.getLast())
                    .isEqualTo(Bytes.none().u64(0x4004e502L).u32(12).array());
        }
    }

    @Test
    void saysWhichGroupTheCallerIsInBesides() {
        try (FakeKernel kernel = FakeKernel.started(fileSystem, OPTIONS)) {
            kernel.call(Opcode.MKDIR, 1, mkdir());
            assertThat(fileSystem.group).isEqualTo(Request.NO_GROUP);
            kernel.call(Opcode.MKDIR, 1, mkdir().u32(16).u32(32).u32(1).u32(77).extended(16));
            assertThat(fileSystem.group).isEqualTo(77);
            Bytes two =
                    mkdir().u32(16).u32(1).u64(5).u32(16).u32(32).u32(1).u32(78).extended(32);
            kernel.call(Opcode.MKDIR, 1, two);
            assertThat(fileSystem.group).isEqualTo(78);
            kernel.call(Opcode.MKDIR, 1, mkdir().u32(16).u32(33).u32(1).u32(77).extended(16));
            assertThat(fileSystem.group).isEqualTo(Request.NO_GROUP);
            Answer odd = kernel.call(
                    Opcode.MKDIR, 1, mkdir().u32(24).u32(32).u32(1).u32(77).extended(16));
            assertThat(odd.error()).isEqualTo(Errno.EIO);
        }
    }

    private static Bytes mkdir() {
        return Bytes.none().u32(0755).u32(022).name("made");
    }
}
