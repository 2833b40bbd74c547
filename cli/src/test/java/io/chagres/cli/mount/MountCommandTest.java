package io.chagres.cli.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountCommandTest {
    @TempDir
    Path archive;

    @Test
    void refusesToHideTheArchive() {
        try (SmallArchive host = new SmallArchive(archive, "web1")) {
            host.append(host.file("/app.log"), "text").commit(1);
        }
        CommandRun run = CommandRun.of("mount", archive.toString(), archive.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains(archive + " is an archive");
    }
}
