package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs what the README shows, as it stands there, on a terminal. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class ReadmeTest {
    private static final String SECTION = "## See it in one minute";
    private static final String MARK = "### command ";

    /** A command and what the README says it prints. */
    private record Example(String command, List<String> output) {}

    @Test
    void theFirstMinute(FaultBench bench) throws IOException {
        Requires.tool("script");
        List<Example> examples = examples(Files.readString(Chagres.repository().resolve("README.md")));
        assertThat(examples).hasSizeGreaterThan(3);
        Path launcher = bench.root().resolve("chagres");
        Files.writeString(launcher, "#!/bin/sh\nexec '" + Chagres.repository() + "/chagres' \"$@\"\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
        StringBuilder session = new StringBuilder("set -m\ncd '" + bench.root() + "'\n");
        for (int i = 0; i < examples.size(); i++) {
            session.append("printf '\\n").append(MARK).append(i).append("\\n'\n");
            session.append(examples.get(i).command).append('\n');
            session.append(waiting(examples.get(i)));
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
    private static String waiting(Example example) {
        if (!example.command.endsWith("&") || example.output.isEmpty()) {
            return "";
        }
        String line = example.output.getLast();
        return "for i in $(seq 600); do grep -qaF '" + line + "' typescript && break; sleep 0.1; done\n";
    }

    private static String onATerminal(FaultBench bench, String command) {
        Program program = Program.run(List.of(
                "env",
                "STATE_DIRECTORY=" + bench.state(),
                "script",
                "--quiet",
                "--return",
                "--flush",
                "--command",
                command,
                bench.root().resolve("typescript").toString()));
        return new String(program.out(), StandardCharsets.UTF_8)
                .replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "")
                .replace('\r', '\n');
    }

    /** Takes the console blocks of one section apart. */
    private static List<Example> examples(String readme) {
        int begin = readme.indexOf(SECTION);
        String section = readme.substring(begin, readme.indexOf("\n## ", begin + 1));
        List<Example> examples = new ArrayList<>();
        boolean console = false;
        for (String line : section.lines().toList()) {
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
