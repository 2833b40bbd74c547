package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Termination;
import io.chagres.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tail -f} while somebody writes. */
final class TailFollowTest {
    private static final String APP = "/var/log/app.log";

    @TempDir
    Path directory = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<Runnable> stop = new CompletableFuture<>();
    private final ExecutorService runner = Executors.newSingleThreadExecutor();
    private SmallArchive archive;
    private long first;

    @BeforeEach
    void write() {
        archive = new SmallArchive(directory, "web1");
        first = archive.file(APP);
        archive.append(first, "1\n2\n").commit(1);
    }

    @AfterEach
    void close() {
        runner.shutdownNow();
        archive.close();
    }

    @Test
    void writesWhatIsCommittedLater() throws Exception {
        Future<Integer> tail = tail("web1:*/app.log", "-n", "1");
        await("2\n");
        archive.append(first, "3\n").commit(2);
        await("2\n3\n");
        archive.append(first, "4\n").commit(3);
        await("2\n3\n4\n");
        end(tail);
    }

    @Test
    void followsTheNameAcrossRotationAndTheOldFileToItsEnd() throws Exception {
        Future<Integer> tail = tail("web1:*/app.log", "-n", "0");
        stop.join();
        archive.rename(APP, APP + ".1");
        long second = archive.file(APP);
        archive.append(first, "old\n").append(second, "new\n").commit(2);
        await("old\nnew\n");
        archive.append(first, "late\n").commit(3);
        await("old\nnew\nlate\n");
        end(tail);
    }

    @Test
    void doesNotRepeatTheCopyOfCopytruncate() throws Exception {
        Future<Integer> tail = tail("web1:*/app.log*", "-n", "0");
        stop.join();
        long copy = archive.file(APP + ".1");
        archive.extend(copy, 4, new LogRecord.CopyRun(copy, 0, 4, first, 0, 0, 0));
        archive.append(copy, "tail\n").commit(2);
        await("tail\n");
        end(tail);
    }

    @Test
    void takesUpAFileThatCameToMatch() throws Exception {
        long other = archive.file("/var/log/other");
        archive.append(other, "before\n").commit(2);
        Future<Integer> tail = tail("web1:*/*.log", "-n", "0");
        stop.join();
        archive.rename("/var/log/other", "/var/log/other.log").commit(3);
        archive.append(first, "seen\n").commit(4);
        await("seen\n");
        archive.append(other, "after\n").commit(5);
        await("seen\n\n==> web1:/var/log/other.log <==\nafter\n");
        end(tail);
    }

    @Test
    void waitsForTheFirstFile() throws Exception {
        Future<Integer> tail = tail("web1:*/later.log");
        stop.join();
        long later = archive.file("/var/log/later.log");
        archive.append(later, "first\n").commit(2);
        await("first\n");
        end(tail);
    }

    @Test
    void waitsForTheFirstHost() throws Exception {
        Future<Integer> tail = tail("web2:");
        stop.join();
        try (SmallArchive other = new SmallArchive(directory, "web2")) {
            long file = other.file(APP);
            other.append(file, "second host\n").commit(2);
            await("second host\n");
            other.append(file, "more\n").commit(3);
            await("second host\nmore\n");
        }
        end(tail);
    }

    @Test
    void refusesThePast() {
        CommandRun tail = CommandRun.of("tail", directory.toString(), "web1:app.log", "-f", "--at", "10m");
        assertThat(tail.code()).isEqualTo(ExitCode.USAGE);
        assertThat(tail.err()).contains("leave out --at");
    }

    private Future<Integer> tail(String address, String... options) {
        CommandContext context = CommandContext.of(out, err, List.of()).with((Termination) stop::complete);
        String[] args = new String[options.length + 4];
        args[0] = "tail";
        args[1] = directory.toString();
        args[2] = address;
        args[3] = "-f";
        System.arraycopy(options, 0, args, 4, options.length);
        return runner.submit(() -> Main.run(context, args));
    }

    private void await(String expected) {
        Await.until("output", () -> out.toString(StandardCharsets.UTF_8).length() >= expected.length());
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(expected);
    }

    private void end(Future<Integer> tail) throws Exception {
        stop.join().run();
        assertThat(tail.get()).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
