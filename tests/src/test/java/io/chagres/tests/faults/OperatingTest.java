package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.ScriptedServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs what the pages for operators show, with the configuration that they show, in directories of its own. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class OperatingTest {
    private static final Pattern CHAGRES = Pattern.compile("(?<![\\w/.-])chagres(?= )");
    private static final Pattern FILE = Pattern.compile("<!-- file: (\\S+) -->\\n```toml\\n(.*?)```", Pattern.DOTALL);
    private static final List<String> PAGES = List.of(
            "docs/begin/machine.md",
            "docs/OPERATING.md",
            "docs/do/drain.md",
            "docs/do/standard-input.md",
            "docs/do/prune.md",
            "docs/do/fleet.md",
            "docs/do/observe.md",
            "docs/do/find.md");
    private static final Pattern CONSOLE = Pattern.compile("```console\\n(.*?)```", Pattern.DOTALL);

    private static Path session(FaultBench bench, ScriptedServer metadata) throws IOException {
        StringBuilder pages = new StringBuilder();
        for (String page : PAGES) {
            pages.append(Files.readString(Chagres.repository().resolve(page)));
        }
        String guide = here(bench, pages.toString());
        for (String each : List.of("etc/chagres", "log", "srv/one/logs")) {
            Files.createDirectories(bench.root().resolve(each));
        }
        Files.writeString(bench.root().resolve("log/app.log"), "line\n");
        Files.writeString(bench.root().resolve("srv/one/logs/b.log"), "line\n");
        Matcher file = FILE.matcher(guide);
        int files = 0;
        for (; file.find(); files++) {
            Files.writeString(Path.of(file.group(1)), file.group(2));
        }
        assertThat(files).isEqualTo(2);
        String chagres = "'" + String.join("' '", Chagres.command()) + "'";
        StringBuilder session = new StringBuilder("set -e\nexport STATE_DIRECTORY='" + bench.state() + "'\n");
        session.append("export CHAGRES_NOTICE_ENDPOINT=" + metadata.endpoint() + "\n");
        session.append(chagres + " ship --config '" + bench.root() + "/etc/chagres/chagres.toml' --once\n");
        int count = 0;
        Matcher blocks = CONSOLE.matcher(guide);
        while (blocks.find()) {
            for (String line : blocks.group(1)
                    .lines()
                    .filter(each -> each.startsWith("$ "))
                    .toList()) {
                count++;
                session.append(command(line.substring(2), chagres)).append('\n');
            }
        }
        session.append("kill %1\nwait %1\n");
        assertThat(count).isGreaterThan(8);
        return Files.writeString(bench.root().resolve("session.sh"), session);
    }

    @Test
    void everyConsoleBlockOfThePagesRuns(FaultBench bench) throws IOException {
        Program program;
        try (ScriptedServer metadata = new ScriptedServer(new ScriptedServer.Answer(404, Map.of(), ""))) {
            program =
                    Program.run(List.of("bash", "-xm", session(bench, metadata).toString()));
        }
        String said = new String(program.out(), StandardCharsets.UTF_8);
        assertThat(program.exitCode()).as("%s%n%s", said, program.err()).isZero();
        assertThat(said)
                .contains(
                        "/chagres.toml: good",
                        "nothing was written",
                        "everything is acknowledged",
                        "web1",
                        "chagres.Commit");
    }

    /** A command that stays continues beside the others, once it can be drained. */
    private static String command(String line, String chagres) {
        boolean ends = line.contains("--dry-run") || line.contains("--once") || line.contains(" ship - ");
        boolean stays = line.contains(" ship ") && !ends;
        String others = line.matches(".* status( --.*)?") ? " || [ $? = 1 ]" : ""; // ships of this machine, late ones
        return CHAGRES.matcher(line)
                        .replaceAll(Matcher.quoteReplacement(chagres))
                        .replaceFirst("^jfr ", System.getProperty("java.home") + "/bin/jfr ")
                + others
                + (stays ? " &\nuntil " + chagres + " drain 2>&1; do sleep 0.2; done" : "");
    }

    private static String here(FaultBench bench, String guide) {
        return guide.replace("/tmp/", bench.root() + "/")
                .replace("/etc/chagres/", bench.root() + "/etc/chagres/")
                .replace("/mnt/archive", bench.root() + "/archive")
                .replace("/var/log/app", bench.root() + "/log")
                .replace("/srv/", bench.root() + "/srv/");
    }
}
