package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseHandover;
import io.chagres.fuse.FuseServer;
import io.chagres.linux.DescriptorSocket;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A supervisor that keeps a mount, and servers that die. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class ResendProcessTest {
    /** How many die, one after the other. */
    private static final int DEATHS = 3;

    private static final int CALLERS = 4;

    @TempDir
    private Path work;

    @AfterEach
    void unmount() {
        Program.run(List.of("umount", "--lazy", work.resolve("mount").toString()));
    }

    @Test
    void whatADeadServerHadReadIsAnsweredByTheNext() throws Exception {
        Requires.root();
        Requires.fuse();
        Path mount = Files.createDirectory(work.resolve("mount"));
        FuseServer first = FuseServer.mount(new HangingNodes(false), mount, HangingNodes.OPTIONS);
        boolean agreed = first.connection().features().contains(FuseFeature.RESEND);
        if (!agreed) {
            first.close();
        }
        Requires.kernel("requests that are sent again, Linux 6.9 or later", agreed);
        try (FuseHandover kept = first.handOver()) {
            // Not of this process, whose children would wait for the server when they close what they inherit.
            List<Process> reads = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                reads.add(new ProcessBuilder("cat", mount.resolve("file" + i).toString())
                        .redirectOutput(work.resolve("read" + i).toFile())
                        .start());
            }
            for (int i = 0; i < DEATHS; i++) {
                ServerProcess dying = serve(kept, true, "hanging" + i);
                Await.until("all reads hang", () -> count(dying.output(), HangingNodes.HANGS) >= CALLERS);
                dying.kill();
            }
            assertThat(reads).allMatch(Process::isAlive);
            try (ServerProcess last = serve(kept, false, "answering")) {
                for (int i = 0; i < CALLERS; i++) {
                    assertThat(reads.get(i).waitFor()).isZero();
                    assertThat(work.resolve("read" + i)).hasContent(HangingNodes.AGAIN);
                }
                assertThat(Files.readString(mount.resolve("file"))).isEqualTo(HangingNodes.ONCE);
                last.terminate();
            }
        }
        assertThat(ServerProcess.isMounted(mount)).isFalse();
    }

    private ServerProcess serve(FuseHandover kept, boolean hangs, String name) throws IOException {
        Path socket = work.resolve(name);
        List<String> program = List.of(HangingNodes.class.getName(), String.valueOf(hangs), socket.toString());
        ServerProcess server = ServerProcess.launch(work, List.of(), program);
        try (DescriptorSocket next = DescriptorSocket.accept(Pathname.of(socket.toString()))) {
            kept.send(next);
        }
        return server;
    }

    private static int count(String text, String part) {
        return text.split(part, -1).length - 1;
    }
}
