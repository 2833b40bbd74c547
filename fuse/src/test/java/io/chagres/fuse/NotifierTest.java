package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Opcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NotifierTest {
    private static final byte[] NAME = "name".getBytes(StandardCharsets.UTF_8);

    private final FakeDevice device = new FakeDevice();
    private final Notifier notifier = new Notifier(device);

    private void sent(int code, Bytes expected) {
        byte[] content = expected.array();
        byte[] message = Bytes.none()
                .u32(16 + content.length)
                .u32(code)
                .u64(0)
                .bytes(content)
                .array();
        assertThat(device.answers).hasSize(1);
        assertThat(device.answers.removeFirst()).isEqualTo(message);
    }

    @Test
    void sendsWhatTheKernelReads() {
        assertThat(notifier.invalidateNode(5, -1, 0)).isZero();
        sent(2, Bytes.none().u64(5).u64(-1).u64(0));
        assertThat(notifier.invalidateEntry(5, NAME)).isZero();
        sent(3, Bytes.none().u64(5).u32(4).u32(0).name("name"));
        assertThat(notifier.expireEntry(5, NAME)).isZero();
        sent(3, Bytes.none().u64(5).u32(4).u32(1).name("name"));
        assertThat(notifier.delete(5, 6, NAME)).isZero();
        sent(6, Bytes.none().u64(5).u64(6).u32(4).u32(0).name("name"));
        assertThat(notifier.pollWakeUp(88)).isZero();
        sent(1, Bytes.none().u64(88));
        assertThat(notifier.resend()).isZero();
        sent(7, Bytes.none());
    }

    @Test
    void storesWithoutACopy() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom("xxdata");
            assertThat(notifier.store(5, 4096, memory, 2, 4)).isZero();
            sent(4, Bytes.none().u64(5).u64(4096).u32(4).u32(0).text("data"));
        }
    }

    @Test
    void returnsWhatTheKernelSays() {
        device.refusal = -Errno.ENOENT;
        assertThat(notifier.invalidateNode(5, 0, 0)).isEqualTo(-Errno.ENOENT);
    }

    @Test
    void retrievesCachedData() {
        RecordingFileSystem fileSystem = new RecordingFileSystem();
        try (FakeKernel kernel = FakeKernel.started(fileSystem, FuseOptions.DEFAULTS)) {
            kernel.device.answers.clear();
            List<String> got = new ArrayList<>();
            fileSystem.notifier.retrieve(
                    5, 4096, 100, (position, data) -> got.add(position + new String(data.bytes())));
            byte[] asked = kernel.device.answers.getFirst();
            assertThat(asked).hasSize(48);
            long unique = ByteBuffer.wrap(asked).order(ByteOrder.nativeOrder()).getLong(16);
            assertThat(unique & 1).isZero();
            Bytes answer =
                    Bytes.none().u64(0).u64(4096).u32(4).u32(0).u64(0).u64(0).text("data");
            kernel.device.requests.add(answer.request(Opcode.NOTIFY_REPLY, unique, 5));
            kernel.serveOne();
            assertThat(got).containsExactly("4096data");
        }
    }
}
