package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.ExitCode;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FailureReportTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void fencingHasACodeOfItsOwn() {
        assertThat(report(Map.of(), new FencedException("web2, pid 7"))).isEqualTo(ExitCode.FENCED);
        assertThat(text()).startsWith("chagres x: ").contains("another writer", "web2, pid 7");
    }

    @Test
    void everySentenceSaysWhatToDo() {
        assertThat(report(Map.of(), new ErrnoException("open", Errno.EACCES, "/x")))
                .isEqualTo(ExitCode.FAILED);
        assertThat(report(Map.of(), new StoreException("/archive: No space left on device")))
                .isEqualTo(ExitCode.FAILED);
        assertThat(report(Map.of(), new CorruptArchiveException("hosts/1/log/2.zst", "a checksum differs")))
                .isEqualTo(ExitCode.FAILED);
        assertThat(text().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("/x", "Permission denied", "change the permissions"),
                        line -> assertThat(line).contains("/archive", "No space left", "doctor"),
                        line -> assertThat(line).contains("hosts/1/log/2.zst", "checksum", "chagres verify"));
    }

    @Test
    void aPlaceThatAnArchiveMayNotBeInIsNamedWithItsFix() {
        ErrnoException denied = new ErrnoException("mkdir", Errno.EACCES, "/nfs");
        report(Map.of(), new StoreException("/nfs: no permission", denied));
        report(Map.of(), new StoreException("/ro: read-only", new ErrnoException("open", Errno.EROFS, "/ro")));
        assertThat(text().lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .endsWith(
                                        "/nfs: no permission. Run as a user who may, or change the" + " permissions."),
                        line -> assertThat(line).endsWith("choose another place."));
    }

    @Test
    void aLimitIsNamedThatWasReached() {
        report(Map.of(), new ErrnoException("open", Errno.EMFILE, "/x"));
        report(Map.of(), new ErrnoException("inotify_init1", Errno.EMFILE, ""));
        assertThat(text().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("ulimit -n").doesNotContain("inotify"),
                        line -> assertThat(line).contains("fs.inotify.max_user_instances"));
    }

    @Test
    void aStoreThatIsNotInstalledIsNamedWithItsPackage() {
        CommandRun ls = CommandRun.of("ls", "s3://bucket/prefix");
        assertThat(ls.code()).isEqualTo(ExitCode.FAILED);
        assertThat(ls.err()).contains("no store is known for s3://", "the package chagres-stores");
    }

    @Test
    void theUnexpectedIsReportedWithItsOrigin() {
        assertThat(report(Map.of(), new IllegalStateException("odd"))).isEqualTo(ExitCode.FAILED);
        assertThat(text().lines()).singleElement().asString().contains("odd", "FailureReportTest", "CHAGRES_DEBUG=1");
    }

    @Test
    void tracesAreShownWhenAskedFor() {
        report(Map.of(FailureReport.DEBUG, "1"), new IllegalStateException("odd", new ArithmeticException("inner")));
        assertThat(text()).contains("    at ", "inner");
    }

    private int report(Map<String, String> environment, Throwable failure) {
        PrintStream messages = new PrintStream(err, true, StandardCharsets.UTF_8);
        return new FailureReport(messages, environment).report("chagres x", failure);
    }

    private String text() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
