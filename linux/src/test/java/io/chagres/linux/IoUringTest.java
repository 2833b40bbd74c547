package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.CString;
import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IoUringTest {
    private static final long FOREVER = -1;
    private static final int BYTES = 5000;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(1 << 16);

    private final Path temp;

    private Path file;
    private Fd fd;
    private IoUring ring;
    private CompletionQueue completions;

    IoUringTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws IOException {
        Requires.allowed("io_uring", IoUring.isSupported());
        file = Files.writeString(temp.resolve("file"), "0123456789".repeat(BYTES / 10));
        fd = Fd.open(FdTest.pathname(file), Fd.O_RDWR, 0);
        ring = IoUring.open(8);
        completions = ring.completions();
    }

    @AfterEach
    void close() {
        if (ring != null) {
            ring.close();
            fd.close();
        }
        arena.close();
    }

    @Test
    void readsAndWrites() throws IOException {
        assertThat(result(ring.next().read(fd.value(), buffer, 100, 20, 4985))).isEqualTo(15);
        assertThat(string(100, 15)).isEqualTo("567890123456789");
        assertThat(result(ring.next().read(fd.value(), buffer, 0, 20, BYTES))).isZero();
        assertThat(result(ring.next().read(fd.value(), buffer, 0, 0, 0))).isZero();
        assertThat(result(ring.next().write(fd.value(), buffer, 100, 10, BYTES)))
                .isEqualTo(10);
        assertThat(result(ring.next().fsync(fd.value(), false))).isZero();
        assertThat(result(ring.next().fsync(fd.value(), true))).isZero();
        assertThat(Files.readString(file)).hasSize(BYTES + 10).endsWith("90123456789" + "5678901234");
        assertThat(result(ring.next().read(fd.value(), buffer, 0, 3, -1))).isEqualTo(3);
        assertThat(result(ring.next().read(fd.value(), buffer, 3, 3, -1))).isEqualTo(3);
        assertThat(string(0, 6)).isEqualTo("012345");
    }

    @Test
    void opensDescribesAndCloses() {
        MemorySegment path = FdTest.pathname(file).toCString(arena);
        int opened = result(ring.next().openat(IoUring.AT_FDCWD, path, Fd.O_RDONLY, 0));
        assertThat(Fd.pread(opened, buffer, 0, 5, 5)).isEqualTo(5);
        try (Statx status = new Statx()) {
            assertThat(result(ring.next().statx(IoUring.AT_FDCWD, path, true, status)))
                    .isZero();
            assertThat(status.size()).isEqualTo(BYTES);
            assertThat(status.isRegular()).isTrue();
            long ino = status.ino();
            assertThat(result(ring.next().statx(opened, CString.EMPTY, true, status)))
                    .isZero();
            assertThat(status.ino()).isEqualTo(ino);
        }
        assertThat(result(ring.next().close(opened))).isZero();
        assertThat(result(ring.next().close(opened))).isEqualTo(-Errno.EBADF);
        MemorySegment missing = FdTest.pathname(temp.resolve("missing")).toCString(arena);
        assertThat(result(ring.next().openat(IoUring.AT_FDCWD, missing, Fd.O_RDONLY, 0)))
                .isEqualTo(-Errno.ENOENT);
        int made = result(ring.next().openat(IoUring.AT_FDCWD, missing, Fd.O_WRONLY | Fd.O_CREAT, 0600));
        assertThat(temp.resolve("missing")).isRegularFile();
        assertThat(result(ring.next().read(made, buffer, 0, 1, 0))).isEqualTo(-Errno.EBADF);
        assertThat(result(ring.next().close(made))).isZero();
    }

    @Test
    void failuresComeAsResults() throws IOException {
        assertThat(result(ring.next().read(9999, buffer, 0, 1, 0))).isEqualTo(-Errno.EBADF);
        try (Fd dir = Fd.open(FdTest.pathname(temp), Fd.O_RDONLY, 0)) {
            assertThat(result(ring.next().read(dir.value(), buffer, 0, 1, 0))).isEqualTo(-Errno.EISDIR);
        }
        assertThat(result(ring.next().uringCommand(fd.value(), 1))).isEqualTo(-Errno.EOPNOTSUPP);
        assertThat(result(ring.next().cancel(77, 0))).isEqualTo(-Errno.ENOENT);
        assertThatThrownBy(() -> ring.next().flags(64)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ring.next().command(16, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        ring.retract();
        assertThat(ring.submit()).isZero();
        assertThatThrownBy(completions::result).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> completions.extra(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void memoryIsChecked() {
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        SubmissionEntry entry = ring.next();
        assertThatThrownBy(() -> entry.read(fd.value(), heap, 0, 8, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> entry.write(fd.value(), buffer, 1, 1 << 16, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> entry.read(fd.value(), buffer, 0, -1, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> entry.read(fd.value(), buffer.asReadOnly(), 0, 1, 0))
                .isInstanceOf(IllegalArgumentException.class);
        MemorySegment freed;
        try (Arena gone = Arena.ofConfined()) {
            freed = gone.allocate(8);
        }
        assertThatThrownBy(() -> entry.read(fd.value(), freed, 0, 8, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aDriverGetsItsCommand() throws IOException {
        try (Fd device = Fd.open(Pathname.of("/dev/null"), Fd.O_RDWR, 0)) {
            // Since Linux 6.0 this one takes any command and does nothing.
            assertThat(result(ring.next().uringCommand(device.value(), 7).memory(buffer.address(), 3)))
                    .isIn(0, -Errno.EOPNOTSUPP);
        }
    }

    @Test
    void aFullSubmissionQueueSaysSo() {
        for (int i = 0; i < 8; i++) {
            ring.next().userData(i);
        }
        assertThat(ring.tryNext()).isNull();
        assertThatThrownBy(ring::next).isInstanceOf(IllegalStateException.class).hasMessageContaining("full");
        assertThat(ring.submitAndWait(8, FOREVER)).isEqualTo(8);
        assertThat(ring.inFlight()).isEqualTo(8);
        for (int i = 0; i < 8; i++) {
            assertThat(completions.next()).isTrue();
            assertThat(completions.userData()).isEqualTo(i);
        }
        assertThat(completions.next()).isFalse();
        assertThat(ring.inFlight()).isZero();
        assertThat(ring.tryNext()).isNotNull();
    }

    @Test
    void aFullCompletionQueueLosesNothing() throws IOException {
        try (IoUring small = IoUring.open(4, 4, 0)) {
            for (int i = 0; i < 40; i++) {
                small.next().userData(i);
                assertThat(small.submit()).isEqualTo(1);
            }
            BitSet seen = new BitSet();
            for (int round = 0; round < 10; round++) {
                assertThat(small.submit()).isNotNegative();
                while (small.completions().next()) {
                    seen.set((int) small.completions().userData());
                }
            }
            assertThat(seen.cardinality()).isEqualTo(40);
            assertThat(small.completions().lost()).isZero();
            assertThat(small.inFlight()).isZero();
        }
    }

    @Test
    void aMillionNops() {
        long next = 0;
        long expected = 0;
        while (expected < 1_000_000) {
            SubmissionEntry entry = ring.tryNext();
            while (entry != null) {
                entry.nop().userData(next++);
                entry = ring.tryNext();
            }
            if (ring.submitAndWait(8, FOREVER) != 8) {
                throw new AssertionError("not all submitted");
            }
            while (completions.next()) {
                if (completions.userData() != expected++ || completions.result() != 0) {
                    throw new AssertionError(completions.userData() + " instead of " + (expected - 1));
                }
            }
        }
        assertThat(ring.inFlight()).isZero();
    }

    @Test
    void waitingEnds() throws IOException {
        assertThat(ring.submitAndWait(1, 1_000_000)).isZero();
        assertThat(ring.submitAndWait(1, 0)).isZero();
        MemorySegment time = arena.allocate(16, 8);
        time.set(ValueLayout.JAVA_LONG, 8, 1_000_000);
        assertThat(result(ring.next().timeout(time, 0))).isEqualTo(-Errno.ETIME);
        time.set(ValueLayout.JAVA_LONG, 0, 3600);
        ring.next().timeout(time, 1).userData(1);
        ring.next().nop().userData(2);
        ring.submitAndWait(2, FOREVER);
        assertThat(completions.next()).isTrue();
        assertThat(completions.userData()).isEqualTo(2);
        assertThat(completions.next()).isTrue();
        assertThat(completions.userData()).isEqualTo(1);
        assertThat(completions.result()).isZero();
    }

    @Test
    void pollingAndCancelling() throws IOException {
        try (EventFd flag = EventFd.open()) {
            ring.next().pollAdd(flag.fd(), Epoll.EPOLLIN, false).userData(1);
            assertThat(ring.submit()).isEqualTo(1);
            assertThat(completions.next()).isFalse();
            assertThat(ring.inFlight()).isEqualTo(1);
            flag.signal();
            ring.submitAndWait(1, FOREVER);
            assertThat(completions.next()).isTrue();
            assertThat(completions.result()).isEqualTo(Epoll.EPOLLIN);
            assertThat(flag.drain()).isTrue();
            ring.next().pollAdd(flag.fd(), Epoll.EPOLLIN, true).userData(2);
            for (int i = 0; i < 3; i++) {
                ring.submit();
                flag.signal();
                ring.submitAndWait(1, FOREVER);
                assertThat(completions.next()).isTrue();
                assertThat(completions.flags() & CompletionQueue.IORING_CQE_F_MORE)
                        .isNotZero();
                assertThat(flag.drain()).isTrue();
                assertThat(completions.next()).isFalse();
            }
            assertThat(ring.inFlight()).isEqualTo(1);
            ring.next().cancel(2, 0).userData(3);
            ring.submitAndWait(2, FOREVER);
            long canceled = 0;
            while (completions.next()) {
                canceled += completions.userData() == 2 ? completions.result() : 0;
            }
            assertThat(canceled).isEqualTo(-Errno.ECANCELED);
            assertThat(ring.inFlight()).isZero();
        }
    }

    @Test
    void chainsStopWhereOneFails() {
        ring.next().read(9999, buffer, 0, 1, 0).userData(1).flags(SubmissionEntry.IOSQE_IO_LINK);
        ring.next().nop().userData(2);
        ring.submitAndWait(2, FOREVER);
        int sum = 0;
        while (completions.next()) {
            sum += completions.result();
        }
        assertThat(sum).isEqualTo(-Errno.EBADF - Errno.ECANCELED);
    }

    @Test
    void wideEntriesAndCompletions() throws IOException {
        Requires.disk(temp);
        int flags = IoUring.IORING_SETUP_SQE128
                | IoUring.IORING_SETUP_CQE32
                | IoUring.IORING_SETUP_SINGLE_ISSUER
                | IoUring.IORING_SETUP_DEFER_TASKRUN;
        try (IoUring wide = IoUring.open(4, 8, flags)) {
            CompletionQueue results = wide.completions();
            for (int i = 0; i < 100; i++) {
                wide.next().read(fd.value(), buffer, 0, 7, 0).userData(i).command(72, -1);
                wide.next().uringCommand(fd.value(), i).command(0, 5).userData(-i);
                assertThat(wide.submitAndWait(2, FOREVER)).isEqualTo(2);
                assertThat(results.next()).isTrue();
                assertThat(results.userData()).isEqualTo(i);
                assertThat(results.result()).isEqualTo(7);
                assertThat(results.extra(0) + results.extra(8)).isZero();
                assertThat(results.next()).isTrue();
                assertThat(results.userData()).isEqualTo(-i);
                assertThat(results.result()).isEqualTo(-Errno.EOPNOTSUPP);
            }
            SubmissionEntry entry = wide.next();
            assertThatThrownBy(() -> entry.command(SubmissionEntry.COMMAND_BYTES, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void wrongSetupsAreRefused() {
        assertThatThrownBy(() -> IoUring.open(0)).hasMessageContaining("EINVAL").hasMessageContaining("0 entries");
        assertThatThrownBy(() -> IoUring.open(1 << 20)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> IoUring.open(8, 4, 0)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> IoUring.open(8, 0, IoUring.IORING_SETUP_DEFER_TASKRUN))
                .hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> IoUring.open(8, 0, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anotherThreadIsRefused() throws InterruptedException, ExecutionException {
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            ring.next().nop();
            assertThat(executor.submit(ring::submit).get()).isEqualTo(-Errno.EEXIST);
        }
        assertThat(ring.submit()).isEqualTo(1);
    }

    @Test
    void anotherThreadClosesButCannotCancel() throws IOException, InterruptedException, ExecutionException {
        try (EventFd flag = EventFd.open();
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            IoUring other = executor.submit(() -> IoUring.open(4)).get();
            executor.submit(() -> other.next().pollAdd(flag.fd(), Epoll.EPOLLIN, false))
                    .get();
            assertThat(executor.submit(other::submit).get()).isEqualTo(1);
            other.close();
            assertThat(other.fd()).isEqualTo(-1);
            assertThat(other.inFlight()).isEqualTo(1);
        }
    }

    @Test
    void kernelsThatLackWhatIsNeededAreNamed() {
        MemorySegment answer = arena.allocate(IoUringParams.BYTES, 8);
        assertThatThrownBy(() -> IoUringParams.answer(answer))
                .hasMessageContaining("5.11")
                .hasMessageContaining("EOPNOTSUPP");
    }

    @Test
    void closingEndsWhatIsInFlight() throws IOException {
        try (EventFd flag = EventFd.open();
                Pipe pipe = Pipe.open(0)) {
            ring.next().pollAdd(flag.fd(), Epoll.EPOLLIN, true);
            ring.next().read(pipe.readEnd().value(), buffer, 0, 100, -1);
            ring.next().read(pipe.readEnd().value(), buffer, 0, 100, -1).flags(SubmissionEntry.IOSQE_ASYNC);
            assertThat(ring.submit()).isEqualTo(3);
            ring.next().nop();
            assertThat(ring.inFlight()).isEqualTo(3);
            ring.close();
            assertThat(ring.inFlight()).isZero();
            assertThat(Fd.pread(ring.fd(), buffer, 0, 1, 0)).isEqualTo(-Errno.EBADF);
        }
        ring.close();
        assertThat(ring.fd()).isEqualTo(-1);
        assertThat(ring.submit()).isEqualTo(-Errno.EBADF);
        assertThatThrownBy(ring::next).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(completions::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingEndsWhatIsOnItsWayToAWorker() throws IOException {
        try (Pipe pipe = Pipe.open(0)) {
            for (int round = 0; round < 300; round++) {
                IoUring other = IoUring.open(16);
                for (int i = 0; i < 8; i++) {
                    other.next()
                            .read(pipe.readEnd().value(), buffer, 0, 100, -1)
                            .flags(SubmissionEntry.IOSQE_ASYNC);
                }
                assertThat(other.submit()).isEqualTo(8);
                other.close();
                assertThat(other.inFlight()).isZero();
            }
        }
    }

    @Test
    void socketsSendAndReceive() throws IOException {
        try (SocketPair pair = SocketPair.open(Fd.O_NONBLOCK)) {
            buffer.setString(0, "ping");
            assertThat(result(ring.next().send(pair.ours().value(), buffer, 0, 4, 0)))
                    .isEqualTo(4);
            assertThat(result(ring.next().receive(pair.theirs().value(), buffer, 100, 50, 0)))
                    .isEqualTo(4);
            assertThat(string(100, 4)).isEqualTo("ping");
            pair.ours().close();
            assertThat(result(ring.next().receive(pair.theirs().value(), buffer, 100, 50, 0)))
                    .isZero();
        }
    }

    @Test
    @Tag("unchecked")
    void readingAllocatesNothing() {
        long bytes = Allocations.fewestBytes(500, () -> {
            for (int round = 0; round < 500; round++) {
                for (int i = 0; i < 8; i++) {
                    ring.next().read(fd.value(), buffer, i * 100L, 100, i).userData(i);
                }
                ring.submitAndWait(8, FOREVER);
                long sum = 0;
                while (completions.next()) {
                    sum += completions.result() + completions.userData() + completions.flags();
                }
                if (sum != 828) {
                    throw new AssertionError(sum);
                }
            }
        });
        assertThat(bytes).isZero();
    }

    /** Submits one operation and returns what it gave. */
    private int result(SubmissionEntry entry) {
        entry.userData(42);
        int submitted;
        do {
            submitted = ring.submitAndWait(1, FOREVER);
        } while (submitted >= 0 && !completions.next());
        assertThat(completions.userData()).isEqualTo(42);
        int result = completions.result();
        assertThat(completions.next()).isFalse();
        return result;
    }

    private String string(long offset, int length) {
        return new String(buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
    }
}
