package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DescriptorSocketTest {
    @TempDir
    private Path work;

    @Test
    void handsAnOpenFileOver() throws IOException, InterruptedException, ExecutionException {
        Path file = Files.writeString(work.resolve("file"), "content");
        Pathname path = Pathname.of(work.resolve("socket").toString());
        try (ExecutorService one = Executors.newSingleThreadExecutor();
                Arena arena = Arena.ofConfined()) {
            Future<DescriptorSocket> accepted = one.submit(() -> DescriptorSocket.accept(path));
            Await.until("somebody waits", () -> Files.exists(work.resolve("socket")));
            DescriptorSocket sender = connected(path);
            MemorySegment memory = arena.allocate(16);
            int[] descriptor = {-1};
            try (DescriptorSocket receiver = accepted.get()) {
                try (Fd opened = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
                    memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 'x');
                    assertThat(sender.send(opened.value(), memory, 0, 1)).isEqualTo(1);
                    assertThat(sender.send(-1, memory, 0, 2)).isEqualTo(2);
                }
                assertThat(receiver.receive(memory, 0, 16, descriptor)).isEqualTo(1);
                try (Fd received = Fd.ofValue(descriptor[0])) {
                    assertThat(received.read(memory, 0, 16)).isEqualTo(7);
                }
                assertThat(receiver.receive(memory, 0, 16, descriptor)).isEqualTo(2);
                assertThat(descriptor[0]).isEqualTo(-1);
                sender.close();
                assertThat(receiver.receive(memory, 0, 16, descriptor)).isZero();
                assertThat(receiver.send(-1, memory, 0, 1)).isEqualTo(-Errno.EPIPE);
            }
        }
    }

    /** A path is there a moment before somebody listens. */
    private static DescriptorSocket connected(Pathname path) {
        DescriptorSocket[] socket = {null};
        Await.until("it is connected", () -> {
            try {
                socket[0] = DescriptorSocket.connect(path);
                return true;
            } catch (ErrnoException e) {
                return e.errno() != Errno.ECONNREFUSED;
            }
        });
        return socket[0];
    }

    @Test
    void saysThatNobodyWaits() {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> DescriptorSocket.connect(
                        Pathname.of(work.resolve("nobody").toString())))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> DescriptorSocket.connect(Pathname.of("/" + "x".repeat(107))))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENAMETOOLONG));
    }
}
