package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.Main;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code grep}: what it finds, how it prints it, and that it finds what {@code cat} gives to a grep of its own. */
@Tag("long")
final class GrepCommandTest {
    @TempDir
    Path directory = Path.of("");

    private String store() {
        return directory.resolve("archive").toString();
    }

    private void small() {
        try (SmallArchive web1 = new SmallArchive(Path.of(store()), "web1");
                SmallArchive web2 = new SmallArchive(Path.of(store()), "web2")) {
            long app = web1.file("/var/log/app.log");
            web1.append(app, "GET /a 200\nGET /b 5").commit(100);
            web1.append(app, "00\nPOST /\u00e9 500\n").commit(200);
            web1.rename("/var/log/app.log", "/var/log/app.log.1");
            web1.append(web1.file("/var/log/app.log"), "GET /c 200\n").commit(300);
            web1.append(web1.file("/var/log/gone.log"), "last 500 words").commit(400);
            web1.remove("/var/log/gone.log").commit(500);
            web2.append(web2.file("/var/log/app.log"), "GET /d 500\n").commit(100);
            web2.append(web2.file("/bin/x"), "500\n\0 500\n").commit(200);
        }
    }

    private CommandRun grep(String... arguments) {
        List<String> all = new ArrayList<>(List.of("grep"));
        for (String each : arguments) {
            all.add(each.equals("STORE") ? store() : each);
        }
        return CommandRun.of(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "500 STORE web1:; web1:/var/log/app.log.1:GET /b 500|web1:/var/log/app.log.1:POST /\u00e9 500"
                        + "|web1:/var/log/gone.log:last 500 words",
                "-n POST|GET STORE *:app.log; web1:/var/log/app.log:1:GET /c 200|web2:/var/log/app.log:1:GET /d 500",
                "-c 500 STORE *:/var/log; web1:/var/log/app.log.1:2|web1:/var/log/gone.log:1|web2:/var/log/app.log:1",
                "-l 500 STORE *:/var/log; web1:/var/log/app.log.1|web1:/var/log/gone.log|web2:/var/log/app.log",
                "-L 500 STORE *:/var/log; web1:/var/log/app.log",
                "-o /[\u00e9-]+ STORE web1:; web1:/var/log/app.log.1:/\u00e9",
                "-I -v 500 STORE web1:/var/log; GET /c 200|GET /a 200",
                "-I -i get STORE web1:app.log.1 -m 1; GET /a 200",
                "-I -F . STORE web1:; ''",
                "-I -w 50 STORE web1:; ''",
                "-n -B 1 POST STORE web1:; web1:/var/log/app.log.1-2-GET /b 500"
                        + "|web1:/var/log/app.log.1:3:POST /\u00e9 500",
                "-I -B 1 ^GET./[acd].*$|words STORE; GET /c 200|--|GET /a 200|--|last 500 words|--|GET /d 500",
                "-I -e /a -e words STORE; GET /a 200|last 500 words",
                "-I GET STORE web1:app.log web2:app.log web1:app.log.1; GET /c 200|GET /a 200|GET /b 500|GET /d 500",
                "-I 00 STORE web1: --since @150; GET /c 200|00|POST /\u00e9 500|last 500 words",
                "-I 00 STORE web1:app.log.1 --until @150; GET /a 200",
                "-I 00 STORE web1:app.log --at @250; GET /a 200|GET /b 500|POST /\u00e9 500",
                "-I -c [[:digit:]]{3}[[:space:]][^[:^lower:]x]+ STORE web1:; 1",
                "-I -c \\Q[[:digit:]]\\E STORE web1:; ''",
                "-I -S post\\W\\S STORE web1:; POST /\u00e9 500",
                "-I -S -F post\\W STORE web1:; ''",
                "500 STORE web2:; web2:/bin/x:500|web2:/bin/x: binary file matches (found \"\\0\" byte around offset 4)"
                        + "|web2:/var/log/app.log:GET /d 500",
                "-I -a -c 500 STORE web2:/bin/x; 2",
                "-I --color always [ab] STORE web1:app.log.1; GET /\u001b[1m\u001b[31ma\u001b[0m 200"
                        + "|GET /\u001b[1m\u001b[31mb\u001b[0m 500"
            })
    void prints(String arguments, String lines) {
        small();
        CommandRun grep = grep(arguments.split(" "));
        assertThat(grep.err()).isEmpty();
        assertThat(grep.out()).isEqualTo(lines.isEmpty() ? "" : lines.replace("|", "\n") + "\n");
        assertThat(grep.code()).isEqualTo(lines.isEmpty() ? 1 : 0);
    }

    /** A result that could not be printed is not the same as no result; the failure is reported once. */
    @ParameterizedTest
    @ValueSource(strings = {"-c", "-l", "-a"})
    void sayingNothingIsTrouble(String option) {
        small();
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(Main.run(new String[] {"grep", option, "500", store()}, full, err))
                .isEqualTo(GrepOptions.TROUBLE);
        assertThat(err.toString(StandardCharsets.UTF_8)).containsOnlyOnce("cannot write standard output");
    }

    /** Nobody waits for zeros that are not stored: a hole may be longer than anybody can read. */
    @Test
    void passesOverHoles() {
        try (SmallArchive web1 = new SmallArchive(Path.of(store()), "web1")) {
            long sparse = web1.file("/sparse");
            long hole = 1L << 60;
            web1.append(sparse, "first\nneedle 1");
            web1.extend(sparse, hole, new LogRecord.ZeroRun(sparse, 14, hole, 0));
            web1.append(sparse, "\nneedle 2\nlast\n").commit(100);
        }
        assertThat(grep("-c", "needle", "STORE").out()).isEqualTo("web1:/sparse:2\n");
        assertThat(grep("-I", "-a", "-n", "needle 2", "STORE").out()).isEqualTo("3:needle 2\n");
        assertThat(grep("needle 2", "STORE").out()).startsWith("web1:/sparse: binary file matches");
        assertThat(CommandRun.of("tail", store(), "web1:/sparse", "-n", "2").out())
                .isEqualTo("needle 2\nlast\n");
    }

    @Test
    void printsJsonAsRipgrepDoes() {
        small();
        assertThat(grep("--json", "-n", "GET", "STORE", "web2:app.log").out().lines())
                .containsExactly(
                        "{\"type\":\"begin\",\"data\":{\"host\":\"web2\",\"path\":{\"text\":\"/var/log/app.log\"},"
                                + "\"version\":\"0000000000000001\"}}",
                        "{\"type\":\"match\",\"data\":{\"host\":\"web2\",\"path\":{\"text\":\"/var/log/app.log\"},"
                                + "\"version\":\"0000000000000001\",\"lines\":{\"text\":\"GET /d 500\\n\"},"
                                + "\"line_number\":1,\"absolute_offset\":0,"
                                + "\"submatches\":[{\"match\":{\"text\":\"GET\"},\"start\":0,\"end\":3}]}}",
                        "{\"type\":\"end\",\"data\":{\"host\":\"web2\",\"path\":{\"text\":\"/var/log/app.log\"},"
                                + "\"version\":\"0000000000000001\",\"binary_offset\":null}}");
    }

    @ParameterizedTest
    @CsvSource({
        "-F, the archive is missing",
        "( STORE, no regular expression of Java",
        "-e x, the archive is missing",
        "x STORE nohost, is not an address",
        "x STORE db:, no host of",
        "x STORE *:/none, nothing in",
        "-m 0 x STORE, must be 1 or more",
        "-f /nowhere STORE, -f /nowhere: there is no such file",
        "-f / STORE, -f / cannot be read: ",
        "-c --json x STORE, '--json shows lines, and so takes neither -c'",
        "x /nowhere, /nowhere",
        "--nope x STORE, Unknown option"
    })
    void saysWhatIsWrongAndExitsWith2(String arguments, String message) {
        small();
        CommandRun grep = grep(arguments.split(" "));
        assertThat(grep.err()).contains(message);
        assertThat(grep.code()).isEqualTo(2);
    }

    @Test
    void isQuietAndEndsAtTheFirst() {
        small();
        assertThat(grep("-q", "500", "STORE")).isEqualTo(new CommandRun(0, "", ""));
        assertThat(grep("-q", "nowhere", "STORE").code()).isEqualTo(1);
    }

    @Test
    void takesPatternsFromAFile() throws IOException {
        small();
        Path file = Files.writeString(directory.resolve("patterns"), "/a\nwords\n");
        assertThat(grep("-I", "-f", file.toString(), "STORE").out()).isEqualTo("GET /a 200\nlast 500 words\n");
    }

    @Test
    void aDamagedHostIsNamedAndTheOthersGoOn() throws IOException {
        small();
        Path log;
        try (var hosts = Files.list(Path.of(store(), "hosts"))) {
            log = hosts.filter(host -> Files.exists(host.resolve("log/0000000000000005.zst")))
                    .findFirst()
                    .orElseThrow()
                    .resolve("log/0000000000000005.zst");
        }
        Files.write(log, new byte[300]);
        CommandRun grep = grep("500", "STORE", "*:app.log");
        assertThat(grep.err()).contains("chagres grep: host web1 ", "cannot be read: ");
        assertThat(grep.out()).isEqualTo("web2:/var/log/app.log:GET /d 500\n");
        assertThat(grep.code()).isEqualTo(2);
    }

    @Test
    void searchesWithinGzip() throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            out.write("first\nsecond\n".getBytes(StandardCharsets.UTF_8));
        }
        try (SmallArchive web = new SmallArchive(Path.of(store()), "web")) {
            web.append(web.file("/old.gz"), zipped.toByteArray());
            web.append(web.file("/no.gz"), "second");
            web.append(web.file("/half.gz"), Arrays.copyOf(zipped.toByteArray(), zipped.size() - 6));
            web.commit(100);
        }
        CommandRun grep = grep("-z", "sec", "STORE");
        assertThat(grep.out()).isEqualTo("web:/half.gz:second\nweb:/old.gz:second\n");
        assertThat(grep.err().lines())
                .containsExactlyInAnyOrder(
                        "chagres grep: web:/no.gz: it is no whole gzip file: Not in GZIP format",
                        "chagres grep: web:/half.gz: it is no whole gzip file: it ends too early");
        assertThat(grep.code()).isEqualTo(2);
    }

    /** Files as Windows writes them, with a byte order mark or in an encoding that is named. */
    @Test
    void readsOtherEncodings() throws IOException {
        String text = "alpha ERROR one\nb\u00e9ta \ud83d\ude00 ERROR\ngamma\n";
        try (SmallArchive web = new SmallArchive(Path.of(store()), "web")) {
            web.append(web.file("/be"), ("\ufeff" + text).getBytes(StandardCharsets.UTF_16BE));
            web.append(web.file("/bom"), ("\ufeff" + text).getBytes(StandardCharsets.UTF_8));
            long growing = web.file("/le");
            byte[] bytes = ("\ufeff" + text).getBytes(StandardCharsets.UTF_16LE);
            web.append(growing, Arrays.copyOf(bytes, 41)).commit(100);
            web.append(growing, Arrays.copyOfRange(bytes, 41, bytes.length));
            web.append(web.file("/western"), "caf\u00e9 ERROR\n".getBytes(StandardCharsets.ISO_8859_1));
            web.file("/empty");
            web.commit(200);
        }
        for (String name : List.of("be", "bom", "le")) {
            CommandRun found = grep("-n", "-I", "^alpha|\u00e9ta .{1} ERROR$", "STORE", "web:" + name);
            assertThat(found)
                    .as(name)
                    .isEqualTo(new CommandRun(0, "1:alpha ERROR one\n2:b\u00e9ta \ud83d\ude00 ERROR\n", ""));
        }
        assertThat(grep("-I", "gamma", "STORE", "web:le", "--since", "@150").out())
                .isEqualTo("gamma\n");
        assertThat(grep("-E", "none", "ERROR", "STORE", "web:le").out()).doesNotContain("alpha");
        assertThat(grep("-I", "-E", "iso-8859-1", "caf\u00e9", "STORE", "web:western")
                        .out())
                .isEqualTo("caf\u00e9 ERROR\n");
        assertThat(grep("-E", "utf-16le", "none", "STORE")).isEqualTo(new CommandRun(1, "", ""));
        CommandRun unknown = grep("--encoding", "klingon", "x", "STORE");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("--encoding knows no 'klingon'");
    }

    /** A line beyond the limit is named, whatever is asked, and what is beside it is found. */
    @Test
    void passesOverALineOfMoreThanSixteenMebibytes() {
        String part = "a".repeat(256 << 10);
        try (SmallArchive web = new SmallArchive(Path.of(store()), "web")) {
            long file = web.file("/m");
            web.append(file, "first\n");
            for (int i = 0; i < 4 * 17; i++) {
                web.append(file, part).commit(100);
            }
            web.append(file, "needle\nlast\n").commit(100);
        }
        String said = "chagres grep: web:/m: a line of 17825798 bytes is longer than 16 MiB and was passed over\n";
        for (String option : List.of("-B1", "-A1", "-C3", "-n", "-v")) {
            CommandRun grep = grep("-I", option, "needle", "STORE");
            assertThat(grep.err()).as(option).isEqualTo(said);
            assertThat(grep.code()).isEqualTo(2);
        }
        assertThat(grep("-n", "-I", "-B1", "^last|^a", "STORE")).isEqualTo(new CommandRun(2, "3:last\n", said));
        assertThat(grep("-I", "-A1", "first", "STORE").out()).isEqualTo("first\n");
        assertThat(grep("-I", "-v", "x", "STORE").out()).isEqualTo("first\nlast\n");
        assertThat(grep("-q", "last", "STORE").code()).isZero();
    }

    /** A line that the JDK's expressions cannot take is no reason to leave out others. */
    @Test
    void passesOverALineThatIsTooLongForAPattern() {
        try (SmallArchive web = new SmallArchive(Path.of(store()), "web")) {
            long a = web.file("/a");
            long b = web.file("/b");
            web.append(a, "x first\n").append(b, "x other\nxyz ");
            for (int i = 0; i < 10; i++) {
                web.append(a, "y".repeat(50_000)).append(b, "y".repeat(50_000)).commit(100);
            }
            web.append(a, "\nx last\n").append(b, "\n").commit(200);
        }
        String passed = "a line of 500000 bytes is too long for this pattern and was passed over";
        CommandRun grep = grep("(x|y)+\\s", "STORE", "web:/a");
        assertThat(grep)
                .isEqualTo(
                        new CommandRun(2, "web:/a:x first\nweb:/a:x last\n", "chagres grep: web:/a: " + passed + "\n"));
        CommandRun matches = grep("-o", "xyz|(y|w)+$", "STORE");
        assertThat(matches.out()).isEqualTo("web:/b:xyz\n");
        assertThat(matches.err()).contains("web:/a: " + passed, "web:/b: a line of 500004 bytes");
        assertThat(grep("-v", "(x|y)+\\s", "STORE", "web:/a").out()).isEmpty();
        assertThat(grep("-I", "o", "STORE", "web:/b")).isEqualTo(new CommandRun(0, "x other\n", ""));
        assertThat(grep("-I", "[xy]+ ?[zl]", "STORE", "web:/a")) // from each y it would be tried to the last one
                .isEqualTo(new CommandRun(2, "x last\n", "chagres grep: web:/a: " + passed + "\n"));
    }

    /** Rotations, gone files, holes, lines over commits and objects, bytes that are no UTF-8. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void findsWhatALoopOverTheBytesFinds(boolean compacted) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("GrepCommandTest.finds"));
        List<List<byte[]>> wanted = new ArrayList<>();
        for (int host = 0; host < 3; host++) {
            try (SmallArchive web = new SmallArchive(Path.of(store()), "web" + host)) {
                wanted.add(fill(web, random));
            }
        }
        if (compacted) {
            SmallArchive.compact(Path.of(store()));
        }
        for (String regex : List.of("ab", "a+b.", "[^b]c", "\u00e9", "^$", "c$", "zzz")) {
            StringBuilder lines = new StringBuilder();
            for (List<byte[]> files : wanted) {
                files.forEach(file -> lines.append(matching(file, regex)));
            }
            CommandRun grep = grep("-a", "-I", regex, "STORE");
            assertThat(grep.err()).isEmpty();
            assertThat(grep.out()).as("/%s/", regex).isEqualTo(lines.toString());
            assertThat(grep.code()).isEqualTo(lines.isEmpty() ? 1 : 0);
        }
    }

    private static String matching(byte[] file, String regex) {
        String text = new String(file, StandardCharsets.UTF_8);
        StringBuilder lines = new StringBuilder();
        for (String line : text.isEmpty() ? new String[0] : text.split("\n", -1)) {
            lines.append(Pattern.compile(regex).matcher(line).find() ? line + "\n" : "");
        }
        boolean ended =
                text.endsWith("\n") && Pattern.compile(regex).matcher("").find();
        return ended ? lines.substring(0, lines.length() - 1) : lines.toString();
    }

    private static List<byte[]> fill(SmallArchive web, RandomGenerator random) {
        List<ByteArrayOutputStream> files = new ArrayList<>();
        List<Long> versions = new ArrayList<>();
        for (int commit = 1; commit <= 12; commit++) {
            if (commit % 4 == 1) {
                versions.add(web.file("/log/" + (char) ('a' + versions.size())));
                files.add(new ByteArrayOutputStream());
            }
            for (int i = 0; i < versions.size(); i++) {
                byte[] bytes = new byte[random.nextInt(1, commit == 7 ? 200_000 : 300)];
                for (int k = 0; k < bytes.length; k++) {
                    bytes[k] = (byte) (random.nextInt(60) == 0 ? 0xff : "aaabbc\n\0\u00e9".charAt(random.nextInt(9)));
                }
                web.append(versions.get(i), bytes);
                files.get(i).writeBytes(bytes);
            }
            if (commit % 5 == 0) {
                long start = files.getFirst().size();
                web.extend(versions.getFirst(), 700, new LogRecord.ZeroRun(versions.getFirst(), start, 700, 0));
                files.getFirst().writeBytes(new byte[700]);
            }
            web.commit(commit * 100L);
        }
        web.rename("/log/a", "/log/a2").remove("/log/b").commit(2000);
        List<byte[]> contents = new ArrayList<>();
        files.forEach(each -> contents.add(each.toByteArray()));
        return contents;
    }
}
