package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs what the README and the page of commands show, as it stands there, in the checkout. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class ReadmeTest {
    private static final String MARK = "### command ";
    private static final String EXIT = "### exit ";

    /** For thirty commands; the first ones may be the first of a program that was just built. */
    private static final int LIMIT_SECONDS = 600;

    /** A machine of its own: nothing of the real one is seen below these directories, and nothing written stays. */
    private static final String MACHINE = """
            set -m
            hostname web1
            for directory in /mnt /var; do mount -t tmpfs none $directory; done
            mount --bind '%s' /srv
            mkdir -p /var/log/app /var/lib /var/cache /mnt/machines /srv/one/logs
            seq -f 'ERROR %%g' 200 | tee /var/log/app/app.log /srv/one/logs/a.log >/srv/one/logs/b.log

            # Runs a command that stays until it has shown something, or for a while, and ends it.
            stay() {
                bash "$1" >"$1.out" 2>&1 &
                for i in $(seq 50); do [ -s "$1.out" ] && break; sleep 0.1; done
                kill -TERM $!
                wait $! || case $? in 130 | 143) ;; *) cat "$1.out"; return 1 ;; esac
            }

            # Runs a command while ./chagres ship runs.
            beside_ship() {
                ./chagres ship /var/log/app --to /mnt/archive >"$1.ship" 2>&1 &
                for i in $(seq 100); do bash "$1" && break; sleep 0.1; done
                kill -TERM $! && wait $!
            }
            """;

    /** A command and what the document says it prints. */
    private record Example(String command, List<String> output) {
        /** Says whether it runs until somebody ends it. */
        boolean stays() {
            return command.contains("tail -f")
                    || command.contains(" --follow")
                    || command.startsWith("./chagres watch ")
                    || (command.startsWith("./chagres ship ")
                            && !command.contains(" --once")
                            && !command.contains(" -- "));
        }

        /** Says whether it needs an account in somebody's cloud. */
        boolean isOfACloud() {
            return command.contains("://");
        }
    }

    @Test
    void theFirstMinute(FaultBench bench) throws IOException {
        Requires.tool("script");
        List<Example> examples = examples("README.md");
        assertThat(examples).hasSizeGreaterThan(8);
        String before = checkoutStatus();
        StringBuilder session = new StringBuilder("set -m\ncd '" + Chagres.repository() + "'\n");
        for (int i = 0; i < examples.size(); i++) {
            session.append("printf '\\n").append(MARK).append(i).append("\\n'\n");
            session.append(examples.get(i).command).append('\n');
            session.append(waiting(bench, examples.get(i)));
        }
        Path script = Files.writeString(bench.root().resolve("session.sh"), session);

        String transcript = onATerminal(bench, "bash '" + script + "'");

        for (int i = 0; i < examples.size(); i++) {
            int mark = transcript.indexOf(MARK + i);
            assertThat(mark).as(transcript).isNotNegative();
            assertThat(shows(transcript.substring(mark), examples.get(i).output))
                    .as("after %s%n%s", examples.get(i).command, transcript.substring(mark))
                    .isTrue();
        }
        assertThat(transcript).contains("look at it: chagres ls -l target/first '");
        assertThat(checkoutStatus()).isEqualTo(before);
    }

    /** All commands of the page that need no account succeed, one after the other, on a machine of their own. */
    @Test
    void theCommands(FaultBench bench) throws IOException {
        Requires.loopDevices();
        Requires.fuse();
        Requires.tool("mkfs.xfs");
        Requires.tool("zstd");
        Requires.tool("unshare");
        Path image = bench.root().resolve("image");
        Path srv = bench.root().resolve("srv");
        bench.mounted(Mounted.newFileSystem(image, srv, "mkfs.xfs", "-q", "-m", "reflink=1"));
        List<Example> examples = examples("docs/COMMANDS.md");
        examples.removeIf(Example::isOfACloud);
        assertThat(examples).hasSizeGreaterThan(18);
        String before = checkoutStatus();
        StringBuilder session = new StringBuilder(MACHINE.formatted(srv));
        session.append("cd '").append(Chagres.repository()).append("'\n");
        for (int i = 0; i < examples.size(); i++) {
            Example example = examples.get(i);
            Path file = Files.writeString(
                    bench.root().resolve(i + ".sh"), (example.stays() ? "exec " : "") + example.command + "\n");
            String way = example.stays() ? "stay" : example.command.contains(" drain ") ? "beside_ship" : "bash";
            session.append("echo '").append(MARK).append(i).append("'\n");
            session.append(way)
                    .append(" '")
                    .append(file)
                    .append("'; echo \"")
                    .append(EXIT)
                    .append("$?\"\n");
        }
        Path script = Files.writeString(bench.root().resolve("commands.sh"), session);

        List<String> line = List.of(
                "unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "" + script);
        Program program = Program.run(line, LIMIT_SECONDS);

        String said = new String(program.out(), StandardCharsets.UTF_8);
        for (int i = 0; i < examples.size(); i++) {
            int mark = said.indexOf(MARK + i + "\n");
            assertThat(mark).as(said + program.err()).isNotNegative();
            String ending =
                    said.substring(said.indexOf(EXIT, mark)).lines().findFirst().orElseThrow();
            assertThat(ending)
                    .as("%s%n%s%n%s", examples.get(i).command, said, program.err())
                    .isEqualTo(EXIT + 0);
        }
        assertThat(checkoutStatus()).isEqualTo(before);
    }

    /** Returns what git says of the checkout: what was changed and what is new. */
    private static String checkoutStatus() {
        Requires.tool("git");
        Program git = Program.run(List.of("git", "-C", Chagres.repository().toString(), "status", "--porcelain"));
        return new String(git.out(), StandardCharsets.UTF_8);
    }

    /** Says whether lines end like this, in this order: the line of a program in the background may precede them. */
    private static boolean shows(String transcript, List<String> output) {
        int next = 0;
        for (String line : transcript.lines().map(String::stripTrailing).toList()) {
            next += next < output.size() && line.endsWith(output.get(next)) ? 1 : 0;
        }
        return next == output.size();
    }

    /** A person reads what a program in the background shows before they type on. */
    private static String waiting(FaultBench bench, Example example) {
        if (!example.command.endsWith("&") || example.output.isEmpty()) {
            return "";
        }
        String line = example.output.getLast();
        return "for i in $(seq 600); do grep -qaF '" + line + "' '" + typescript(bench)
                + "' && break; sleep 0.1; done\n";
    }

    private static Path typescript(FaultBench bench) {
        return bench.root().resolve("typescript");
    }

    private static String onATerminal(FaultBench bench, String command) {
        Program program = Program.run(List.of(
                "env",
                "STATE_DIRECTORY=" + bench.state(),
                "TMPDIR=" + bench.root(),
                "script",
                "--quiet",
                "--return",
                "--flush",
                "--command",
                command,
                typescript(bench).toString()));
        return new String(program.out(), StandardCharsets.UTF_8)
                .replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "")
                .replace('\r', '\n');
    }

    /** Takes the console blocks of a document apart. */
    private static List<Example> examples(String document) throws IOException {
        String text = Files.readString(Chagres.repository().resolve(document));
        List<Example> examples = new ArrayList<>();
        boolean console = false;
        for (String line : text.lines().toList()) {
            if (line.startsWith("```")) {
                console = line.equals("```console");
            } else if (console && line.startsWith("$ ")) {
                examples.add(new Example(line.substring(2), new ArrayList<>()));
            } else if (console) {
                examples.getLast().output.add(line);
            }
        }
        return examples;
    }
}
