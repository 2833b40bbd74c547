package io.chagres.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Termination;
import io.chagres.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WatchCommandTest {
    @TempDir
    Path directory = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<Runnable> stop = new CompletableFuture<>();
    private final ExecutorService runner = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        runner.shutdownNow();
    }

    @Test
    void printsEachChangeOnALine() throws Exception {
        Path old = Files.writeString(directory.resolve("old"), "x");
        Future<Integer> watch = watch();
        Path a = Files.createFile(directory.resolve("a"));
        await("CREATE " + a + "\n");
        Files.writeString(a, "more", StandardOpenOption.APPEND);
        await("MODIFY " + a + "\n");
        await("CLOSE " + a + "\n");
        Path b = Files.move(a, directory.resolve("b"));
        await("RENAME " + a + " -> " + b + "\n");
        Path inner = Files.createDirectory(directory.resolve("d")).resolve("inner");
        await("CREATE " + directory.resolve("d") + "\n");
        Files.move(b, inner);
        await("RENAME " + b + " -> " + inner + "\n");
        Files.delete(inner);
        await("DELETE " + inner + "\n");
        end(watch);
        assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("CREATE " + old);
    }

    @Test
    void printsJson() throws Exception {
        Future<Integer> watch = watch("--json");
        Path a = Files.createFile(directory.resolve("a"));
        await("{\"event\":\"CREATE\",\"path\":\"" + a + "\"}\n");
        Path b = Files.move(a, directory.resolve("b"));
        await("{\"event\":\"RENAME\",\"path\":\"" + a + "\",\"to\":\"" + b + "\"}\n");
        end(watch);
    }

    /** A newline and the four characters of its escape are shown alike. */
    @Test
    void printsJsonThatTellsNamesApart() throws Exception {
        Future<Integer> watch = watch("--json");
        Path a = Files.createFile(directory.resolve("n\nl"));
        String shown = directory + "/n\\\\x0al";
        await("{\"event\":\"CREATE\",\"path\":\"" + shown + "\",\"pathGlob\":\"" + shown + "\"}\n");
        Files.move(a, directory.resolve("n\\x0al"));
        await("\"to\":\"" + shown + "\",\"toGlob\":\"" + directory + "/n\\\\\\\\x0al\"}\n");
        end(watch);
    }

    @Test
    void printsNothingButChangesWhenItIsQuiet() throws Exception {
        Future<Integer> watch = run("--quiet");
        Await.until("a change", () -> {
            Files.createTempFile(directory, "new", "");
            return out.toString(StandardCharsets.UTF_8).contains("CREATE ");
        });
        end(watch);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    private Future<Integer> watch(String... more) {
        Future<Integer> watch = run(more);
        Await.until("watching", () -> err.toString(StandardCharsets.UTF_8).contains("watching "));
        return watch;
    }

    private Future<Integer> run(String... more) {
        CommandContext context = CommandContext.of(out, err, List.of()).with((Termination) stop::complete);
        String[] args = new String[more.length + 2];
        args[0] = "watch";
        args[1] = directory.toString();
        System.arraycopy(more, 0, args, 2, more.length);
        return runner.submit(() -> Main.run(context, args));
    }

    private void await(String line) {
        Await.until(line, () -> out.toString(StandardCharsets.UTF_8).contains(line));
    }

    private void end(Future<Integer> watch) throws Exception {
        stop.join().run();
        assertThat(watch.get()).isZero();
    }
}
