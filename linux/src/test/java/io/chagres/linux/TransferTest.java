package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest {
    private static final long SEED = Seeds.next("TransferTest");
    private static final int BYTES = 1_000_003;
    private static final int NONBLOCK = Transfer.SPLICE_F_NONBLOCK;
    private static final long CURRENT = Transfer.CURRENT;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BYTES);
    private final byte[] content = new byte[BYTES];
    private final RandomGenerator random = Seeds.random(SEED);

    private final Path temp;

    private Fd from;
    private Fd to;
    private Pipe pipe;

    TransferTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws IOException {
        random.nextBytes(content);
        from = Fd.open(FdTest.pathname(Files.write(temp.resolve("from"), content)), Fd.O_RDONLY, 0);
        to = Fd.open(FdTest.pathname(temp.resolve("to")), Fd.O_RDWR | Fd.O_CREAT, 0600);
        pipe = Pipe.open(Fd.O_NONBLOCK);
    }

    @AfterEach
    void close() {
        from.close();
        to.close();
        pipe.close();
        arena.close();
    }

    @Test
    void aFileIsSentToASocketInParts() throws IOException {
        try (SocketPair pair = SocketPair.open(Fd.O_NONBLOCK)) {
            long sent = Transfer.sendfileAll(from, 0, pair.ours(), BYTES);
            assertThat(sent).isBetween(1L, BYTES - 1L);
            assertThat(Transfer.sendfile(from, sent, pair.ours(), 1 << 16)).isEqualTo(-Errno.EAGAIN);
            assertThat(Transfer.sendfileAll(from, sent, pair.ours(), 1 << 16)).isEqualTo(-Errno.EAGAIN);
            long received = 0;
            while (received < BYTES) {
                long n = pair.theirs().read(buffer, received, BYTES - received);
                if (n == -Errno.EAGAIN) {
                    sent += Transfer.sendfileAll(from, sent, pair.ours(), BYTES);
                } else {
                    received += n;
                }
            }
            assertThat(sent).isEqualTo(BYTES);
            assertThat(buffer.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
            assertThat(Transfer.sendfile(from, BYTES, pair.ours(), 10)).isZero();
            assertThat(Transfer.sendfileAll(from, BYTES - 4, pair.ours(), 10)).isEqualTo(4);
            pair.theirs().close();
            assertThat(Transfer.sendfile(from, 0, pair.ours(), 10)).isEqualTo(-Errno.EPIPE);
            assertThat(Transfer.sendfile(pair.ours(), 0, to, 10)).isIn((long) -Errno.ESPIPE, (long) -Errno.EINVAL);
        }
    }

    @Test
    void aFileIsSentToAFile() throws IOException {
        assertThat(Transfer.sendfileAll(from, 3, to, BYTES)).isEqualTo(BYTES - 3);
        assertThat(Transfer.sendfile(from, 0, to, 3)).isEqualTo(3);
        assertThat(Transfer.sendfile(from, -1, to, 3)).isEqualTo(-Errno.EINVAL);
        assertThat(to.preadFully(buffer, 3, BYTES - 3, 0)).isEqualTo(BYTES - 3);
        assertThat(to.preadFully(buffer, 0, 3, BYTES - 3)).isEqualTo(3);
        assertThat(buffer.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
        to.close();
        assertThat(Transfer.sendfile(from, 0, to, 3)).isEqualTo(-Errno.EBADF);
    }

    @Test
    void fileToPipeToFile() throws IOException {
        long in = 0;
        long out = 0;
        while (out < BYTES) {
            long n = Transfer.splice(from, in, pipe.writeEnd(), CURRENT, random.nextInt(1, 200_000), NONBLOCK);
            assertThat(n).isNotNegative();
            in += n;
            while (out < in) {
                n = Transfer.splice(pipe.readEnd(), CURRENT, to, out, random.nextInt(1, 100_000), 0);
                assertThat(n).isPositive();
                out += n;
            }
        }
        assertThat(temp.resolve("to")).hasBinaryContent(content);
        assertThat(Transfer.splice(from, in, pipe.writeEnd(), CURRENT, 10, NONBLOCK))
                .isZero();
    }

    @Test
    void fileToPipeToSocketToPipeToFile() throws IOException {
        try (SocketPair pair = SocketPair.open(Fd.O_NONBLOCK);
                Pipe second = Pipe.open(Fd.O_NONBLOCK)) {
            long in = 0;
            long out = 0;
            while (out < BYTES) {
                in += moved(Transfer.splice(from, in, pipe.writeEnd(), CURRENT, 65536, NONBLOCK));
                moved(Transfer.splice(pipe.readEnd(), CURRENT, pair.ours(), CURRENT, 65536, NONBLOCK));
                moved(Transfer.splice(pair.theirs(), CURRENT, second.writeEnd(), CURRENT, 65536, NONBLOCK));
                out += moved(Transfer.splice(second.readEnd(), CURRENT, to, out, 65536, NONBLOCK));
            }
            assertThat(temp.resolve("to")).hasBinaryContent(content);
            pair.ours().close();
            assertThat(Transfer.splice(pair.theirs(), CURRENT, second.writeEnd(), CURRENT, 1, NONBLOCK))
                    .isZero();
        }
    }

    @Test
    void refusals() throws IOException {
        assertThat(Transfer.splice(from, 0, to, 0, 10, 0)).isEqualTo(-Errno.EINVAL);
        assertThat(Transfer.splice(pipe.readEnd(), 0, to, 0, 10, 0)).isEqualTo(-Errno.ESPIPE);
        assertThat(Transfer.splice(pipe.readEnd(), CURRENT, to, 0, 10, NONBLOCK))
                .isEqualTo(-Errno.EAGAIN);
        assertThat(Transfer.splice(pipe.readEnd(), CURRENT, pipe.writeEnd(), CURRENT, 10, NONBLOCK))
                .isEqualTo(-Errno.EINVAL);
        try (Fd append = Fd.open(FdTest.pathname(temp.resolve("to")), Fd.O_WRONLY | Fd.O_APPEND, 0)) {
            assertThat(Transfer.splice(pipe.readEnd(), CURRENT, append, CURRENT, 10, NONBLOCK))
                    .isEqualTo(-Errno.EINVAL);
        }
        pipe.readEnd().close();
        assertThat(Transfer.splice(from, 0, pipe.writeEnd(), CURRENT, 10, 0)).isEqualTo(-Errno.EPIPE);
        pipe.close();
        pipe.close();
        assertThat(Transfer.splice(from, 0, pipe.writeEnd(), CURRENT, 10, 0)).isEqualTo(-Errno.EBADF);
        assertThatThrownBy(() -> Pipe.open(1)).hasMessageContaining("EINVAL");
    }

    @Test
    void aFullPipeTakesNoMore() throws IOException {
        int bytes = FileControl.setPipeSize(pipe.writeEnd(), 100_000);
        assertThat(bytes).isGreaterThanOrEqualTo(100_000);
        assertThat(Transfer.splice(from, 0, pipe.writeEnd(), CURRENT, bytes, NONBLOCK))
                .isEqualTo(bytes);
        assertThat(Transfer.splice(from, 0, pipe.writeEnd(), CURRENT, bytes, NONBLOCK))
                .isEqualTo(-Errno.EAGAIN);
        assertThat(pipe.readEnd().read(buffer, 0, BYTES)).isEqualTo(bytes);
        assertThat(buffer.asSlice(0, bytes)
                        .mismatch(MemorySegment.ofArray(content).asSlice(0, bytes)))
                .isEqualTo(-1);
        pipe.writeEnd().close();
        assertThat(pipe.readEnd().read(buffer, 0, 1)).isZero();
    }

    @Test
    @Tag("unchecked")
    void movingAllocatesNothing() {
        long bytes = Allocations.fewestBytes(500, () -> {
            for (int i = 0; i < 1_000; i++) {
                long in = Transfer.splice(from, i, pipe.writeEnd(), CURRENT, 100, NONBLOCK);
                long out = Transfer.splice(pipe.readEnd(), CURRENT, to, 0, 100, NONBLOCK);
                long sent = Transfer.sendfile(from, i, pipe.writeEnd(), 100);
                long read = pipe.readEnd().read(buffer, 0, 100);
                if (in != 100 || out != 100 || sent != 100 || read != 100) {
                    throw new AssertionError(in + " " + out + " " + sent + " " + read);
                }
            }
        });
        assertThat(bytes).isZero();
        assertThat(buffer.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(content[999]);
    }

    private static long moved(long n) {
        assertThat(n).isGreaterThanOrEqualTo(-Errno.EAGAIN);
        if (n < 0) {
            assertThat(n).isEqualTo(-Errno.EAGAIN);
        }
        return Math.max(0, n);
    }
}
