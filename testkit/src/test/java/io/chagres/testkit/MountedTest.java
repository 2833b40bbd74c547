package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("it")
class MountedTest {
    @TempDir
    Path directory;

    /** Any test that starts another in a mount namespace takes all mounts of this moment there. */
    @Test
    void anImageThatAnotherNamespaceHoldsIsNotMountedASecondTime()
            throws IOException, InterruptedException, ExecutionException {
        Requires.loopDevices();
        Requires.tool("unshare");
        Path image = Mounted.ext4Image(directory.resolve("image"));
        Process holder;
        try (Mounted first = Mounted.image(image, directory.resolve("first"))) {
            holder = new ProcessBuilder(
                            "unshare", "--mount", "--propagation", "private", "sh", "-c", "echo; exec sleep 600")
                    .start();
            assertThat(holder.getInputStream().read()).isEqualTo('\n');
            Files.writeString(first.directory().resolve("a"), "kept in memory");
        }
        FutureTask<Mounted> second = new FutureTask<>(() -> Mounted.image(image, directory.resolve("second")));
        Thread mounting = Thread.ofPlatform().start(second);
        Await.until("it waits, or does not", () -> second.isDone() || waits(mounting));
        holder.destroy();
        try (Mounted mounted = second.get()) {
            assertThat(mounted.directory().resolve("a")).hasContent("kept in memory");
        }
        holder.waitFor();
    }

    private static boolean waits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(Await.class.getName()));
    }
}
