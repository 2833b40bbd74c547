package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.cli.CommandRun;
import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.linux.Pathname;
import io.chagres.ship.ShipOptions;
import io.chagres.ship.metrics.Metrics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The configuration file, as an operator writes it and breaks it. */
@Tag("long")
final class ConfigCommandTest {
    private static final String GOOD = """
            # what to ship
            to = "/mnt/archive"
            host = "web1"
            max-lag = "5s"
            level = 4
            quiet = true
            exclude = ["*.tmp"]

            [[source]]
            paths = ["/var/log/app", "/srv/*/logs"]

            [[source]]
            paths = "/var/log/audit"
            max-lag = "100ms"
            codec = "none"
            include = ["*.log"]
            exclude = []
            """;

    @TempDir
    Path directory = Path.of("");

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("chagres.toml"), text);
    }

    private CommandRun check(String text) throws IOException {
        return CommandRun.of("config", "check", file(text).toString());
    }

    private static CommandContext context(Map<String, String> environment) {
        CommandContext any = CommandContext.of(new ByteArrayOutputStream(), new ByteArrayOutputStream(), List.of());
        return new CommandContext(
                any.out(), any.err(), environment, false, any.clock(), any.zone(), any.termination(), List.of());
    }

    private static ShipSettings settings(Map<String, String> environment, String... arguments) throws IOException {
        CommandContext context = context(environment);
        CommandLine ship = new CommandLine(new ShipCommand(context));
        io.chagres.cli.command.Converters.register(ship, context);
        return ShipSettings.of(context, ship.parseArgs(arguments));
    }

    /** Who is told to write something may copy it. */
    @Test
    void whatIsProposedIsTaken() throws IOException {
        for (ConfigKeys.Entry each : ConfigKeys.all()) {
            assertThat(each.wanted()).as(each.key()).doesNotContainPattern("such as \\[?\"[A-Z:]+\"");
            String value =
                    each.wanted().startsWith("true") ? "true" : each.wanted().replaceFirst("(?s).*such as ", "");
            if (each.key().equals("encrypt-to")) {
                continue; // a key that is right would be somebody's
            }
            CommandRun run = check(each.key() + " = " + value + "\n");
            assertThat(run.out())
                    .as(each.key())
                    .doesNotContainPattern("chagres.toml:1:.*(?<!does not exist|no such file)\\. Fix");
        }
        assertThat(check("max_lag = \"5s\"").out()).contains("did you mean 'max-lag'? Fix: write max-lag.\n");
        assertThat(check("[[sources]]\npaths = \"/x\"").out())
                .contains("Fix: head each source with a line [[source]].\n");
    }

    @Test
    void aGoodFileIsGoodAndSaysWhereEachValueComesFrom() throws IOException {
        CommandRun check = check(GOOD);
        assertThat(check.out()).isEqualTo(directory.resolve("chagres.toml") + ": good\n");
        assertThat(check.code()).isZero();
        CommandRun show = CommandRun.of(
                "config", "show", directory.resolve("chagres.toml").toString());
        assertThat(show.out())
                .contains("max-lag = \"5s\"  # " + directory.resolve("chagres.toml") + ":4\n")
                .contains("memory = \"64MiB\"  # default\n")
                .contains("[[source]]\npaths = [\"/var/log/app\", \"/srv/*/logs\"]")
                .contains("codec = \"none\"");
    }

    /** What is shown is TOML again, whatever a value holds. */
    @Test
    void aNewlineInAValueIsShownAsOne() throws IOException {
        check("to = \"/a\"\nhost = \"a\\nb\\u001b\\\"\"\npaths = [\"/b\"]\n");
        CommandRun show = CommandRun.of(
                "config", "show", directory.resolve("chagres.toml").toString());
        assertThat(show.out()).contains("host = \"a\\u000Ab\\u001B\\\"\"  # ");
    }

    @Test
    void sourcesInheritWhatTheyDoNotSay() throws IOException {
        ShipOptions options =
                settings(Map.of(), "--config=" + file(GOOD)).command().options();
        assertThat(options.sources()).hasSize(2);
        assertThat(options.sources().getFirst().maxLagMs()).isEqualTo(5000);
        assertThat(options.sources().getFirst().excludes()).containsExactly("*.tmp");
        assertThat(options.sources().getLast().maxLagMs()).isEqualTo(100);
        assertThat(options.sources().getLast().paths()).containsExactly("/var/log/audit");
        assertThat(options.storage().level()).isEqualTo(4);
    }

    @Test
    void flagsComeBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
        Map<String, String> environment = Map.of("CHAGRES_MAX_LAG", "7s", "CHAGRES_LEVEL", "9", "CHAGRES_HOST", "");
        ShipOptions options = settings(environment, "--config=" + file(GOOD), "--level=2")
                .command()
                .options();
        assertThat(options.storage().level()).isEqualTo(2);
        assertThat(options.pace().maxLagMs()).isEqualTo(7000);
        assertThat(options.identity().hostName()).isEqualTo("web1");
        ShipOptions ofLine = settings(environment, "--config=" + file(GOOD), "/tmp/x")
                .command()
                .options();
        assertThat(ofLine.sources()).hasSize(1);
        assertThat(ofLine.sources().getFirst().paths()).containsExactly("/tmp/x");
    }

    @Test
    void namesTheVariableThatIsWrong() throws IOException {
        ShipSettings settings = settings(Map.of("CHAGRES_MAX_LAG", "soon"), "/tmp", "--to", "/x");
        assertThatThrownBy(settings::command)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("$CHAGRES_MAX_LAG")
                .hasMessageContaining("'soon' is not a duration");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            max-lg = "5s"                | 1:1  | did you mean 'max-lag'?
            \\nmax-lag = "5"              | 2:1  | '5' is not a duration
            max-lag = 5                  | 1:1  | a string, such as
            level = "three"              | 1:1  | a whole number, such as 3
            level = 25                   | 1:1  | the level must be between 1 and 19
            codec = "lzma"               | 1:1  | 'codec'
            memory = "1MiB"              | 1:1  | at least 16 MiB
            paths = [1, 2]               | 1:1  | strings, such as
            paths = []                   | 1:1  | no path to ship
            to = "/a"\\nto = "/b"         | 2:1  | to
            to = "s3://bucket?a"\\nhost = ""   | 2:1  | host name must not be empty
            source = "x"                 | 1:1  | [[source]]
            [[source]]\\ninclude = ["*"]  | 1:   | has no 'paths'
            [[source]]\\npaths = "/a"\\nhost = "h" | 3:1 | unknown key 'host'
            [[archive]]\\nto = "/x"       | 1:   | one process ships to one archive
            [[sources]]\\npaths = ["/x"] | 1:   | did you mean [[source]]?
            to = "${NOT_SET_HERE}"       | 1:1  | the variable NOT_SET_HERE is not set
            \\npaths = ["/a/${NOT SET}"] | 2:1  | '${' begins no variable
            paths = ["$HOME/logs"]       | 1:1  | '$HOME' is not expanded
            paths = ["~/logs"]           | 1:1  | '~' is not expanded
            level = "${NOT_SET_HERE:-x}" | 1:1  | 'level'
            once = true                  | 1:1  | unknown key 'once'
            paths = ["/a/[x"]            | 1:1  | 'paths'
            exclude = ["{a"]             | 1:1  | 'exclude'
            to = "/a                     | 1:   | Fix:
            [a.b]\\nc = 1                 | 1:   | unknown key 'a'
            """)
    void saysWhereWhatAndHow(String text, String position, String said) throws IOException {
        CommandRun check = check(text.replace("\\n", "\n") + "\n");
        assertThat(check.code()).isEqualTo(ExitCode.FAILED);
        assertThat(check.out())
                .startsWith(directory.resolve("chagres.toml") + ":" + position)
                .contains(said)
                .contains(" Fix: ");
        assertThat(check.err()).isEmpty();
    }

    @Test
    void saysEverythingThatIsWrongAtOnceAlsoAsJson() throws IOException {
        Path file = file("max-lg = 1\nlevel = 99\ncodec = \"lz4\"\n");
        assertThat(CommandRun.of("config", "check", file.toString()).out().lines())
                .hasSize(3);
        assertThat(CommandRun.of("config", "check", file.toString(), "--json")
                        .out()
                        .lines())
                .hasSize(3)
                .allMatch(each -> each.startsWith("{\"file\":") && each.contains("\"column\":1"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            secret-access-key = "hunter2"
            aws_secret_access_key = "hunter2"
            password = "hunter2"
            token = "hunter2
            to = "azblob://c/p?account=a&sig=hunter2"
            to = "s3://AKIA:hunter2@bucket/p"
            sas = "hunter2"
            """)
    void refusesASecretAndDoesNotPrintIt(String line) throws IOException {
        for (CommandRun run : List.of(
                check(line + "\n"), CommandRun.of("ship", "--config", file(line).toString()))) {
            assertThat(run.code()).isNotZero();
            assertThat(run.out() + run.err())
                    .contains("secret")
                    .contains("environment")
                    .doesNotContain("hunter2");
        }
    }

    @Test
    void readsAByteOrderMarkAndCarriageReturns() throws IOException {
        CommandRun check = check("\uFEFF" + GOOD.replace("\n", "\r\n"));
        assertThat(check.out()).endsWith(": good\n");
        assertThat(check("\uFEFFto = \"/x\"\r\n\r\nlevl = 3\r\n").out()).contains(":3:1: unknown key 'levl'");
    }

    @Test
    void refusesWhatIsNoConfiguration() throws IOException {
        Path large = directory.resolve("large");
        Files.writeString(large, "# ".repeat(600_000));
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        for (String[] each : new String[][] {
            {directory.toString(), "is a directory"},
            {large.toString(), "larger than 1 MiB"},
            {binary.toString(), "is not UTF-8"},
            {directory.resolve("none").toString(), "does not exist"},
            {"/dev/null", "is not a regular file"}
        }) {
            CommandRun check = CommandRun.of("config", "check", each[0]);
            assertThat(check.code()).isEqualTo(ExitCode.USAGE);
            assertThat(check.err()).contains(each[0], each[1], "Nothing was done");
        }
    }

    @Test
    void shipShowsTheProblemsOfItsFile() throws IOException {
        CommandRun ship = CommandRun.of("ship", "--config", file("max-lg = 1\n").toString());
        assertThat(ship.code()).isEqualTo(ExitCode.USAGE);
        assertThat(ship.err()).contains(":1:1: unknown key 'max-lg'; did you mean 'max-lag'? Fix: ");
    }

    @Test
    void shipWithoutAnArchiveSaysWhatIsMissing() {
        CommandRun ship = CommandRun.of("ship", "/tmp");
        assertThat(ship.code()).isEqualTo(ExitCode.USAGE);
        assertThat(ship.err()).contains("--to STORE", ShipSettings.DEFAULT_FILE);
    }

    @Test
    void aReloadRefusesWhatOnlyAStartCanDo() throws IOException {
        ShipSettings settings = settings(Map.of(), "--config=" + file(GOOD));
        file(GOOD.replace("web1", "web2").replace("level = 4", "level = 5"));
        assertThatThrownBy(settings::reread)
                .hasMessageContaining("host, level cannot change while ship runs; restart it");
        file(GOOD.replace("5s", "6s") + "[[source]]\npaths = [\"/more\"]\n");
        ShipOptions options = settings.reread().command().options();
        assertThat(options.pace().maxLagMs()).isEqualTo(6000);
        assertThat(options.sources()).hasSize(3);
    }

    /** Metrics say that what the file says is not in force. */
    @Test
    void metricsTellOfARefusedReload() throws IOException {
        CommandContext context = context(Map.of());
        ShipSettings settings = settings(Map.of(), "--config=" + file(GOOD));
        ShipReport report = ShipReport.of(context, true, false, LogLines.Format.TEXT);
        Reload reload = new Reload(
                settings, report, Supervisor.of(Map.of(), report), () -> java.time.Instant.ofEpochMilli(5000), false);
        Metrics metrics = reload.addTo(new Metrics());
        assertThat(metrics.text(false))
                .contains("chagres_config_last_reload_successful 1\n", "chagres_config_refused_timestamp_seconds 0\n");
        AtomicInteger woken = new AtomicInteger();
        reload.opened(woken::incrementAndGet);
        file(GOOD.replace("web1", "web2"));
        reload.request();
        assertThat(woken).as("a ship at rest waits for long").hasValue(1);
        assertThat(metrics.text(false))
                .contains("chagres_config_last_reload_successful 0\n", "chagres_config_refused_timestamp_seconds 5\n")
                .contains("chagres_config_last_reload_success_timestamp_seconds 5\n");
    }

    @Test
    void aDryRunSaysWhatWouldBeFollowedAndWritesNothing() throws IOException {
        Path logs = Files.createDirectory(directory.resolve("logs"));
        Files.writeString(logs.resolve("a.log"), "line\n");
        Files.writeString(logs.resolve("a.tmp"), "line\n");
        CommandRun dry = CommandRun.of(
                "ship",
                logs.toString(),
                "--to",
                directory + "/archive",
                "--exclude",
                "*.tmp",
                "--host",
                "h",
                "--dry-run");
        assertThat(dry.code()).isZero();
        assertThat(dry.out())
                .contains("would follow 1 file, 5 B, with ", "as host h", "nothing was written")
                .contains("1,440 requests a day at most (0 commits, 1,440 heartbeats, 0 objects)");
        assertThat(directory.resolve("archive")).doesNotExist();
    }

    @Test
    void aDayCostsWhatTheModelSays() throws IOException {
        DailyCost busy = DailyCost.of(1000, 60_000, 12);
        assertThat(busy.commits()).isEqualTo(86_400);
        assertThat(busy.puts()).isBetween(87_900L, 88_400L);
        assertThat(busy.dollars()).isBetween(0.439, 0.443); // docs/SCALING.md: 0.4414
        assertThat(DailyCost.of(10_000, 60_000, 0).dollars()).isBetween(0.0071, 0.0073);
        String scaling = Files.readString(io.chagres.testkit.Repository.root().resolve("docs/SCALING.md"));
        assertThat(scaling)
                .contains(DailyCost.PER_1000_PUTS + " dollars per 1,000 PUT")
                .contains(DailyCost.PER_GB_AND_MONTH + " per GB and month");
    }

    @Test
    void runsWhatTheFileSays() throws IOException {
        Path logs = Files.createDirectory(directory.resolve("logs"));
        Files.writeString(logs.resolve("a.log"), "line\n");
        Files.writeString(logs.resolve("a.tmp"), "line\n");
        Path config = file("""
                to = "%1$s/archive"
                state = "%1$s/state"
                host = "h"
                [[source]]
                paths = ["%1$s/logs"]
                exclude = ["*.tmp"]
                """.formatted(directory));
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(
                new String[] {"ship", "--config", config.toString(), "--once"}, new ByteArrayOutputStream(), err);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("ships " + directory + "/logs to ");
        assertThat(code).isZero();
        assertThat(CommandRun.of("ls", directory + "/archive", "h:**").out())
                .contains("a.log")
                .doesNotContain("a.tmp");
    }

    /** Values that ship would refuse at its start are bad already here, with their line. */
    @ParameterizedTest
    @CsvSource({
        "to = \"s3:/bucket/x\",s3://bucket/x",
        "to = \"s4://bucket/x\",s3://bucket/x",
        "to = \"S3://bucket\",s3://bucket",
        "to = \"s3:///x\",name of a bucket",
        "to = \"oss://bucket/x\",no store is known",
        "to = \" /mnt/a\",/mnt/a",
        "http = \"127.0.0.1:99999\",ADDRESS:PORT",
        "state = \"s3:/x\",s3://x",
    })
    void findsWhatIsNoAddress(String line, String said) throws IOException {
        String text = line.startsWith("to") ? "" : "to = \"/mnt/archive\"\n";
        CommandRun check = check(text + "paths = [\"/var/log/app\"]\n" + line + "\n");
        assertThat(check.code()).isEqualTo(ExitCode.FAILED);
        assertThat(check.out()).contains(line.startsWith("to") ? ":2:" : ":3:", said);
    }

    @Test
    void findsAFileInThePlaceOfTheArchive() throws IOException {
        Path there = Files.writeString(directory.resolve("there"), "text");
        for (String to : List.of(there.toString(), there + "/archive", "/dev/null")) {
            CommandRun check = check("to = \"%s\"\npaths = [\"/v\"]\n".formatted(to));
            assertThat(check.code()).isEqualTo(ExitCode.FAILED);
            assertThat(check.out()).contains(":1:1: ", " is no directory");
        }
        assertThat(check("to = \"%s\"\npaths = [\"/v\"]\n".formatted(directory + "/a/b"))
                        .code())
                .isZero();
    }

    @Test
    void findsWhatThePropertiesAndTheSpoolCannotBe() throws IOException {
        Path bad = Files.writeString(directory.resolve("bad.properties"), "max.request.size = many\n");
        String kafka = "to = \"kafka://b:1/t\"\npaths = [\"/v\"]\n";
        CommandRun check = check(kafka + "properties = \"" + directory + "/none\"\n");
        assertThat(check.code()).isEqualTo(ExitCode.FAILED);
        assertThat(check.out()).contains(":3:1: --properties cannot be read");
        check = check(kafka + "spool = \"" + bad + "\"\n");
        assertThat(check.code()).isEqualTo(ExitCode.FAILED);
        assertThat(check.out()).contains(":3:1: --spool " + bad, " is no directory");
        assertThat(check("to = \"/a\"\npaths = [\"\"]\n").out()).contains(":2:1: ", "a path is empty");
    }

    @Test
    void findsAnOpenPageWithoutToken() throws IOException {
        CommandRun check = check("to = \"/mnt/archive\"\npaths = [\"/v\"]\nhttp = \"0.0.0.0:7788\"\n");
        assertThat(check.code()).isEqualTo(ExitCode.FAILED);
        assertThat(check.out()).contains(":3:1: ", "token");
    }

    /** A missing key has no line, but a name. */
    @Test
    void namesWhatIsMissing() throws IOException {
        Path empty = file("host = \"web1\"\n");
        CommandRun check = CommandRun.of("config", "check", empty.toString());
        assertThat(check.code()).isEqualTo(ExitCode.FAILED);
        assertThat(check.out().lines())
                .containsExactly(
                        empty + ": 'to' is missing. Fix: add to = \"/mnt/archive\", or the address of a bucket.",
                        empty + ": 'paths' is missing. Fix: add paths = [\"/var/log/app\"], or a [[source]] that has"
                                + " them.");
    }

    private CommandRun run(Map<String, String> environment, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandContext any = CommandContext.of(out, err, List.of());
        CommandContext context = new CommandContext(
                any.out(), any.err(), environment, false, any.clock(), any.zone(), any.termination(), List.of());
        int code = Main.run(context, arguments);
        return new CommandRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void valuesMayNameVariables() throws IOException {
        Path config = file("""
                to = "${STORE}"
                host = "${NAME:-web1}"
                level = "${LEVEL:-4}"
                max-lag = "${LAG-}5s"
                [[source]]
                paths = ["${LOGS}/a", "${LOGS}/$$x/$${y}"]
                """);
        Map<String, String> environment = Map.of("STORE", "/mnt/a", "LOGS", "/var/log", "NAME", "", "LAG", "1");
        ShipSettings settings = settings(environment, "--config=" + config);
        ShipOptions options = settings.command().options();
        assertThat(options.identity().hostName()).isEqualTo("web1");
        assertThat(options.storage().level()).isEqualTo(4);
        assertThat(options.pace().maxLagMs()).isEqualTo(15_000);
        assertThat(options.sources().getFirst().paths()).containsExactly("/var/log/a", "/var/log/$x/${y}");
        CommandRun check = run(environment, "config", "check", config.toString());
        assertThat(check.code()).as(check.out()).isZero();
        assertThat(check.out())
                .contains("to = \"/mnt/a\"  # " + config + ":1\n", "paths = [\"/var/log/a\", ")
                .endsWith(": good\n");
    }

    /** The value of a variable whose name says it is a secret is shown nowhere, not even when it is wrong. */
    @Test
    void hidesSecretsOfTheEnvironment() throws IOException {
        Map<String, String> environment = Map.of("DB_PASSWORD", "hunter2", "CHAGRES_HTTP_TOKEN", "hunter3");
        Path good = file("to = \"/mnt/a\"\npaths = [\"/v/${DB_PASSWORD}\"]\nhttp = \"0.0.0.0:7788\"\n");
        for (String action : List.of("check", "show")) {
            CommandRun run = run(environment, "config", action, good.toString());
            assertThat(run.code()).as(run.out() + run.err()).isZero();
            assertThat(run.out()).contains("/v/***").doesNotContain("hunter");
        }
        Path bad = file("to = \"/mnt/a\"\npaths = [\"/v\"]\nmax-lag = \"${DB_PASSWORD}\"\n");
        CommandRun check = run(environment, "config", "check", bad.toString());
        assertThat(check.out())
                .contains(":3:1: 'max-lag': '***' is not a duration")
                .doesNotContain("hunter");
    }

    @Test
    void dropInsCountAfterTheFile() throws IOException {
        Path config = file("to = \"/mnt/a\"\nlevel = 3\n[[source]]\npaths = [\"/a\"]\n");
        Path dropIns = Files.createDirectory(directory.resolve("conf.d"));
        Files.writeString(dropIns.resolve("20.toml"), "level = 7\n");
        Path ten = Files.writeString(dropIns.resolve("10.toml"), "level = 5\n[[source]]\npaths = [\"/b\"]\n");
        Files.writeString(dropIns.resolve("README"), "not = read\n");
        ShipOptions options = settings(Map.of(), "--config=" + config).command().options();
        assertThat(options.storage().level()).isEqualTo(7);
        assertThat(options.sources()).hasSize(2);
        assertThat(CommandRun.of("config", "show", config.toString()).out())
                .contains("level = \"7\"  # " + dropIns.resolve("20.toml") + ":1\n");
        Files.writeString(ten, "\nlevl = 5\n");
        assertThat(CommandRun.of("config", "check", config.toString()).out())
                .startsWith(ten + ":2:1: unknown key 'levl'");
        Path other = Files.writeString(directory.resolve("audit.toml"), "to = \"/mnt/a\"\npaths = [\"/a\"]\n");
        assertThat(CommandRun.of("config", "check", other.toString()).code()).isZero();
        Files.createDirectory(directory.resolve("audit.conf.d"));
        Files.writeString(directory.resolve("audit.conf.d/x.toml"), "levl = 5\n");
        assertThat(CommandRun.of("config", "check", other.toString()).out()).contains("audit.conf.d/x.toml:1:1: ");
    }

    @Test
    void saysHowAUnitMayWriteADirectory() {
        assertThat(UnitAdvice.commands(Pathname.of("/srv/my archive"), "chagres@audit", "chagres"))
                .contains("install -d -o chagres -m 0700 '/srv/my archive'\n")
                .contains("ReadWritePaths=%s\\n' '/srv/my archive' > /etc/systemd/system/chagres@audit.service.d/")
                .endsWith("systemctl restart chagres@audit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://bucket/x?regoin=eu-west-1", "kafka://b:1/no topic"})
    void saysWhatNobodyCouldCheck(String to) throws IOException {
        CommandRun check = check("to = \"%s\"\npaths = [\"/v\"]\n".formatted(to));
        assertThat(check.code()).isEqualTo(ExitCode.DONE);
        assertThat(check.out()).endsWith(": nothing wrong was found\n").doesNotContain("good");
        assertThat(check.err()).contains(to.substring(0, to.indexOf('/') + 2) + " was not checked", "not installed");
    }

    /** Each command that takes an archive goes through the same door. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ship /none --once --to",
                "ship /none --dry-run --to",
                "ls",
                "cat",
                "status",
                "compact",
                "verify",
                "repair",
                "head",
                "mount --foreground",
                "doctor --to",
                "grep x",
                "restore",
                "tail"
            })
    void everyCommandRefusesWhatIsNoAddress(String command) {
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.add("s3:/bucket/x");
        if (List.of("cat", "tail", "restore", "mount --foreground").contains(command)) {
            words.add(command.equals("restore") || command.startsWith("mount") ? directory.toString() : "h:/x");
        }
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.code()).isNotZero();
        assertThat(run.out() + run.err()).contains("s3://bucket/x");
        assertThat(Path.of("s3:")).doesNotExist();
    }
}
