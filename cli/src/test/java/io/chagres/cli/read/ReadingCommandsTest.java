package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Seeds;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ls}, {@code cat} and {@code tail} on an archive of two hosts. */
@Tag("long")
final class ReadingCommandsTest {
    @TempDir
    Path directory = Path.of("");

    private SmallArchive web1;
    private SmallArchive web2;
    private String store;

    @BeforeEach
    void write() {
        store = directory.resolve("archive").toString();
        web1 = new SmallArchive(Path.of(store), "web1");
        long app = web1.file("/var/log/app.log");
        web1.append(app, "a1\n").commit(100);
        web1.append(app, "a2\n").commit(200);
        web1.rename("/var/log/app.log", "/var/log/app.log.1");
        long fresh = web1.file("/var/log/app.log");
        web1.append(app, "a3\n").append(fresh, "b1\nb2").commit(300);
        long gone = web1.file("/var/log/gone.log");
        web1.append(gone, "g\n").commit(400);
        web1.remove("/var/log/gone.log").commit(500);
        web2 = new SmallArchive(Path.of(store), "web2");
        web2.append(web2.file("/var/log/app.log"), "w2\n").commit(100);
    }

    @AfterEach
    void close() {
        web1.close();
        web2.close();
    }

    @Test
    void listsHosts() {
        CommandRun ls = CommandRun.of("ls", store);
        assertThat(ls.code()).isZero();
        assertThat(ls.out().lines()).hasSize(2);
        assertThat(ls.out()).contains("web1  3 files  16 B", "web2   1 file   3 B");
        assertThat(CommandRun.of("ls", store, "--json").out())
                .contains("{\"host\":\"web1\",\"hostId\":\"", "\"files\":3,\"bytes\":16,\"commits\":5");
    }

    @Test
    void listsNoHostBeforeItBegan() {
        assertThat(CommandRun.of("ls", store, "--at", "@50").out()).isEmpty();
        assertThat(CommandRun.of("ls", store, "--at", "@150").out()).contains("web1  1 file  3 B");
    }

    @Test
    void listsFilesAsAddresses() {
        assertThat(CommandRun.of("ls", store, "web1:/var/**").out().lines())
                .containsExactly("web1:/var/log/app.log", "web1:/var/log/app.log.1", "web1:/var/log/gone.log  (gone)");
        assertThat(CommandRun.of("ls", "--hide-gone", store, "web1:/var/**")
                        .out()
                        .lines())
                .containsExactly("web1:/var/log/app.log", "web1:/var/log/app.log.1");
        assertThat(CommandRun.of("ls", "--json", store, "web1:gone.log").out()).contains("\"gone\":true");
        assertThat(CommandRun.of("ls", store, "*:app.log").out().lines())
                .containsExactly("web1:/var/log/app.log", "web2:/var/log/app.log");
    }

    @Test
    void listsDetails() {
        assertThat(CommandRun.of("ls", "-l", store).out().lines().toList())
                .allMatch(each -> each.matches("web[12] +\\d+ files? .* heard unknown +begun .* ago  [0-9a-f]{16}"));
        assertThat(CommandRun.of("ls", "-l", "--json", store).out()).contains("\"heard\":null,\"created\":\"");
        String line = CommandRun.of("ls", "-l", store, "web1:gone.log").out();
        assertThat(line)
                .startsWith("-rw-r-----  0  0  2 B  ")
                .endsWith("  growing, removed  web1:/var/log/gone.log  (gone)\n");
        assertThat(CommandRun.of("ls", "--versions", store, "web1:app.log*").out())
                .contains(
                        "  0000000000000001  web1:/var/log/app.log.1\n", "  0000000000000002  web1:/var/log/app.log\n");
    }

    @ParameterizedTest
    @CsvSource({
        "web1:/var/log/app.log, 'b1|b2'",
        "web1:app.log.1, 'a1|a2|a3|'",
        "web1:gone.log, 'g|'",
        "*:/var/log/app.log, 'b1|b2w2|'"
    })
    void writesBytes(String address, String content) {
        assertThat(CommandRun.of("cat", store, address).out()).isEqualTo(content.replace('|', '\n'));
    }

    @Test
    void writesNames() {
        assertThat(CommandRun.of("cat", store, "*:*/app.log", "--names").out())
                .isEqualTo("web1:/var/log/app.log:b1\nweb1:/var/log/app.log:b2\nweb2:/var/log/app.log:w2\n");
        assertThat(CommandRun.of("cat", store, "web1:app.log*", "--names").out())
                .isEqualTo("web1:/var/log/app.log:b1\nweb1:/var/log/app.log:b2\n"
                        + "web1:/var/log/app.log.1:a1\nweb1:/var/log/app.log.1:a2\nweb1:/var/log/app.log.1:a3\n");
        CommandRun both = CommandRun.of("cat", store, "*:", "--names", "--json");
        assertThat(both.code()).isEqualTo(ExitCode.USAGE);
        assertThat(both.err()).contains("leave out --names");
    }

    /** Many hosts beside each other give what one after the other gives, and lines are those that grep sees. */
    @Test
    void writesAFleetInOrder() {
        RandomGenerator random = Seeds.random(Seeds.next("writesAFleetInOrder"));
        String fleet = directory.resolve("fleet").toString();
        StringBuilder oneByOne = new StringBuilder();
        for (int host = 10; host < 34; host++) {
            try (SmallArchive archive = new SmallArchive(Path.of(fleet), "h" + host)) {
                int files = random.nextInt(4);
                for (int file = 0; file < files; file++) {
                    long id = archive.file("/log/f" + file);
                    for (int commit = random.nextInt(3); commit >= 0; commit--) {
                        String text = "line of " + host + "\n".repeat(random.nextInt(3));
                        archive.append(id, text.repeat(random.nextInt(1, 2 << random.nextInt(13))))
                                .commit(100 + commit);
                    }
                }
                archive.file("/empty");
                archive.commit(200);
            }
            oneByOne.append(CommandRun.of("cat", fleet, "h" + host + ":/**").out());
        }
        assertThat(CommandRun.of("cat", fleet, "*:/**").out()).isEqualTo(oneByOne.toString());
        assertThat(CommandRun.of("cat", fleet, "*:/**", "--names").out())
                .isEqualTo(CommandRun.of("grep", "^", fleet, "*:/**").out());
    }

    @ParameterizedTest
    @CsvSource({"0-3, 'a1|'", "3-, 'a2|a3|'", "-4, '|a3|'", "7-7, ''"})
    void writesRanges(String range, String content) {
        assertThat(CommandRun.of("cat", store, "web1:app.log.1", "--bytes", range)
                        .out())
                .isEqualTo(content.replace('|', '\n'));
    }

    @ParameterizedTest
    @CsvSource({
        "--at=@250, app.log, 'a1|a2|'",
        "--since=@150, app.log.1, 'a2|a3|'",
        "--until=@250, app.log.1, 'a1|a2|'",
        "--since=@300, gone.log, 'g|'"
    })
    void readsThePast(String time, String name, String content) {
        assertThat(CommandRun.of("cat", store, "web1:" + name, time).out()).isEqualTo(content.replace('|', '\n'));
    }

    @Test
    void writesJson() {
        assertThat(CommandRun.of("cat", store, "web2:app.log", "--json").out())
                .isEqualTo("{\"host\":\"web2\",\"path\":\"/var/log/app.log\","
                        + "\"address\":\"web2:/var/log/app.log\",\"version\":\"0000000000000001\","
                        + "\"position\":0,\"text\":\"w2\\n\"}\n");
    }

    @Test
    void writesLastLines() {
        assertThat(CommandRun.of("tail", store, "web1:*/app.log", "-n", "1").out())
                .isEqualTo("b2");
        assertThat(CommandRun.of("tail", store, "web1:*/app.log.1", "-n", "2").out())
                .isEqualTo("a2\na3\n");
        assertThat(CommandRun.of("tail", store, "*:*/app.log", "-n", "1").out())
                .isEqualTo("==> web1:/var/log/app.log <==\nb2\n==> web2:/var/log/app.log <==\nw2\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"web1:/nothing", "web1:/var/log/app.log.2"})
    void saysThatNothingMatches(String address) {
        CommandRun cat = CommandRun.of("cat", store, address);
        assertThat(cat.code()).isEqualTo(ExitCode.FAILED);
        assertThat(cat.err()).contains("chagres cat: nothing in ", "matches " + address, "'chagres ls STORE HOST:/**'");
    }

    @Test
    void namesTheHostsThereAre() {
        CommandRun cat = CommandRun.of("cat", store, "db:/x");
        assertThat(cat.code()).isEqualTo(ExitCode.FAILED);
        assertThat(cat.err())
                .contains("no host of ", "matches db:/x; there are: ")
                .contains("web1")
                .contains("web2");
    }

    @Test
    void saysThatThereIsNoArchive() {
        CommandRun ls = CommandRun.of("ls", directory.resolve("nowhere").toString());
        assertThat(ls.code()).isEqualTo(ExitCode.FAILED);
        assertThat(ls.err()).contains("nowhere");
    }
}
