package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The manifests of {@code packaging/kubernetes}, on a node whose kubelet is a script; then what its document shows. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class KubernetesTest {
    private static final Path SCRIPTS = Chagres.repository().resolve("tests/src/test/resources/kubernetes");

    @Test
    void aPodThatIsGoneIsReadAsTheDocumentShows(FaultBench bench) throws IOException {
        Requires.root();
        Requires.fuse();
        Requires.tool("unshare");
        Requires.pythonModule("yaml", "pyyaml==6.0.3");
        String manifests = Chagres.repository().resolve("packaging/kubernetes").toString();
        String check = SCRIPTS.resolve("manifests.py").toString();
        Program.ok("python3", check, manifests, bench.root().toString());
        Path config = bench.root().resolve("chagres.toml");
        String bucket = "\"s3://bucket/cluster\"";
        String lag = "\"10s\"";
        assertThat(config).content().contains(bucket, lag);
        Files.writeString(
                config,
                Files.readString(config).replace(bucket, "\"/mnt/archive\"").replace(lag, "\"200ms\""));
        Path program = bench.root().resolve("chagres");
        Files.writeString(program, "#!/bin/sh\nexec '" + String.join("' '", Chagres.command()) + "' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> commands = commands();
        assertThat(commands).hasSizeGreaterThan(6);
        String session = """
                session='%s'
                PATH="$session:$PATH"
                . '%s'
                set -euo pipefail
                """.formatted(bench.root(), SCRIPTS.resolve("node.sh")) + String.join("\n", commands) + "\n";
        Path script = Files.writeString(bench.root().resolve("session.sh"), session);

        Program run = Program.run(List.of(
                "unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "" + script));

        String said = new String(run.out(), StandardCharsets.UTF_8);
        assertThat(run.exitCode()).as("%s%n%s", said, run.err()).isZero();
        assertThat(said)
                .contains("INFO 005002 of api-1\n5002\n") // tail, grep -c
                .containsSubsequence("ERROR 040000 of web-7d4b9\n", "ERROR 040000 of web-7d4b9\n"); // cat, mount
    }

    /** Returns the commands that the document shows, as they stand there. */
    private static List<String> commands() throws IOException {
        String document = Files.readString(Chagres.repository().resolve("docs/KUBERNETES.md"));
        return document.lines()
                .filter(line -> line.startsWith("$ "))
                .map(line -> line.substring(2))
                .toList();
    }
}
