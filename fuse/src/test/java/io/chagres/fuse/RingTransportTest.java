package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When FUSE over io_uring is used, and when not. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class RingTransportTest {
    private static final FuseOptions OPTIONS = FuseOptions.DEFAULTS.withSubtype("chagrestest");
    private static final FuseOptions SMALL = OPTIONS.withMaxWrite(4096);

    @TempDir
    private Path directory;

    @AfterEach
    void detach() {
        Program.run(List.of("umount", "--lazy", directory.toString()));
    }

    private FuseTransport used(FuseOptions options) throws IOException {
        Requires.root();
        Requires.fuse();
        try (FuseServer server = FuseServer.mount(new OneFileSystem(), directory, options)) {
            return server.statistics().transport();
        }
    }

    @Test
    void isUsedWhereItCanBe() throws IOException {
        Requires.fuseOverIoUring();
        assertThat(RingTransport.obstacle(OPTIONS)).isEmpty();
        assertThat(used(OPTIONS)).isEqualTo(FuseTransport.IO_URING);
        assertThat(used(OPTIONS.withTransport(FuseTransport.CLASSIC))).isEqualTo(FuseTransport.CLASSIC);
    }

    @Test
    void isNotUsedWhereItCannotBe() throws IOException {
        assertThat(RingTransport.obstacle(SMALL)).contains("maxWrite");
        assertThat(used(SMALL)).isEqualTo(FuseTransport.CLASSIC);
        assertThat(RingTransport.obstacle(OPTIONS.withThreads(1))).contains("one thread");
        assertThat(used(OPTIONS.withThreads(1))).isEqualTo(FuseTransport.CLASSIC);
    }

    @Test
    void isRefusedIfItMustBeAndCannot() {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() ->
                        FuseServer.mount(new OneFileSystem(), directory, SMALL.withTransport(FuseTransport.IO_URING)))
                .withMessageContaining("maxWrite")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        FuseOptions one = OPTIONS.withThreads(1);
        assertThatIllegalArgumentException().isThrownBy(() -> one.withTransport(FuseTransport.IO_URING));
    }

    /** The end of a queue that the kernel refuses: it is reported once, and all its memory is given back. */
    @Test
    void endsAQueueThatTheKernelRefuses() throws IOException {
        Requires.fuse();
        List<ErrnoException> failures = new ArrayList<>();
        AtomicInteger ends = new AtomicInteger();
        try (FakeKernel kernel = FakeKernel.started(new OneFileSystem(), OPTIONS);
                Fd noConnection = Fd.open(FdDevice.PATH, Fd.O_RDWR, 0)) {
            RingQueue queue =
                    new RingQueue(kernel.session, noConnection.value(), 0, 2, failures::add, ends::incrementAndGet);
            queue.run();
            queue.closeWhenIdle();
            assertThat(queue.awaitStarted()).isPositive();
            assertThat(failures).hasSize(1);
            assertThat(failures.getFirst()).hasMessageContaining("queue 0");
            assertThat(ends).hasValue(1);
        }
    }
}
