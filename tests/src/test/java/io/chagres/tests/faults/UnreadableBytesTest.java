package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.Name;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file that can be read up to a byte: a disk with a bad sector, or a file system that gives wrong sizes. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class UnreadableBytesTest {
    private static final int AT_RISK = 3;
    private static final int READABLE = (5 << 20) + 1234;
    private static final int SIZE = 9 << 20;

    /** What a reading behind the readable bytes gets. */
    private enum Behind {
        ERROR("Input/output error"),
        NOTHING("No data available");

        private final String message;

        Behind(String message) {
            this.message = message;
        }
    }

    /** Has one file, {@code app.log}. */
    private static final class BadDisk implements FuseFileSystem {
        private static final long FILE = 2;
        private static final byte[] NAME = "app.log".getBytes(StandardCharsets.UTF_8);

        final byte[] content = new byte[READABLE];
        private final Behind behind;

        BadDisk(Behind behind) {
            this.behind = behind;
            Seeds.random(1).nextBytes(content);
        }

        @Override
        public void lookup(Request request, long parent, Name name, EntryReply reply) {
            if (parent == ROOT && name.is(NAME)) {
                reply.entry(FILE, reply.attributes().file(0444, SIZE));
            } else {
                reply.error(Errno.ENOENT);
            }
        }

        @Override
        public void getattr(Request request, long node, long handle, AttributesReply reply) {
            reply.attributes(
                    node == ROOT
                            ? reply.attributes().directory(0755)
                            : reply.attributes().file(0444, SIZE));
        }

        @Override
        public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
            if (position == 0) {
                reply.add(NAME, FILE, DirectoryReply.DT_REG, 1);
            }
            reply.done();
        }

        @Override
        public void open(Request request, long node, int flags, OpenReply reply) {
            reply.opened(0, OpenReply.DIRECT_IO);
        }

        @Override
        public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
            int start = (int) Math.min(position, READABLE);
            int length = Math.min(size, READABLE - start);
            if (length == 0 && behind == Behind.ERROR) {
                reply.error(Errno.EIO);
                return;
            }
            MemorySegment.copy(content, start, reply.buffer(), ValueLayout.JAVA_BYTE, reply.offset(), length);
            reply.filled(length);
        }
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("try") // the server only has to be closed
    void whatCanBeReadIsShippedAndTheRestIsAtRisk(Behind behind, FaultBench bench) throws Exception {
        Requires.fuse();
        Path disk = Files.createDirectories(bench.file("disk"));
        BadDisk bad = new BadDisk(behind);
        try (FuseServer server = FuseServer.mount(bad, disk, FuseOptions.DEFAULTS)) {
            ShipProcess ship = bench.shipping()
                    .paths(bench.tree())
                    .options("--drain", "1s")
                    .start();
            ship.awaitError("app.log cannot be read at byte " + READABLE + ": " + behind.message);
            ship.awaitStatus("the rest is at risk", status -> status.riskBytes() == SIZE - READABLE);
            assertThat(ship.terminate()).isEqualTo(AT_RISK);
            assertThat(ship.errors()).doesNotContain("everything is acknowledged");
        }
        byte[] archived = bench.archive().cat("web1:*/app.log");
        assertThat(archived.length).isEqualTo(READABLE);
        assertThat(Arrays.equals(archived, bad.content)).isTrue();
    }
}
