package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code grep --sort time}: lines of all hosts in the order of the commits that made them whole. */
@Tag("long")
final class GrepSortTest {
    @TempDir
    Path directory = Path.of("");

    private Path store() {
        return directory.resolve("archive");
    }

    private CommandRun grep(String... options) {
        List<String> all = new ArrayList<>(List.of("grep", "--sort", "time"));
        all.addAll(List.of(options));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private void small() {
        try (SmallArchive web1 = new SmallArchive(store(), "web1");
                SmallArchive web2 = new SmallArchive(store(), "web2")) {
            long b = web1.file("/b");
            long a = web1.file("/a");
            web1.append(b, "x b1\nx b").append(a, "x a1\n").commit(100);
            long c = web2.file("/c");
            web2.append(c, "x c1\n").commit(50);
            web2.append(c, "x c2\nx c3\n").commit(100);
            web1.append(b, "2\nx b3\nno end x").commit(300);
            web2.append(c, "x c4\n").commit(200);
            web1.append(a, "x a2\n").commit(250); // its clock was set back: what it said before counts by this
            web1.remove("/b").commit(400);
        }
    }

    private static final List<String> SMALL = List.of(
            "web2:/c:x c1",
            "web1:/a:x a1",
            "web1:/b:x b1",
            "web2:/c:x c2",
            "web2:/c:x c3",
            "web2:/c:x c4",
            "web1:/a:x a2",
            "web1:/b:x b2",
            "web1:/b:x b3",
            "web1:/b:no end x");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mergesHostsByTheTimeOfCommits(boolean compacted) throws IOException {
        small();
        if (compacted) {
            compact();
        }
        CommandRun found = grep("x", store().toString());
        assertThat(found.err()).isEmpty();
        assertThat(found.out().lines()).containsExactlyElementsOf(SMALL);
        assertThat(found.code()).isZero();
        assertThat(grep("x", store().toString(), "--since", "@100").out().lines())
                .as("since a commit")
                .containsExactly("web2:/c:x c4", "web1:/a:x a2", "web1:/b:x b3", "web1:/b:no end x");
    }

    @Test
    void saysTheTimeInJson() {
        small();
        assertThat(grep("--json", "-m", "1", "x", store().toString(), "web1:", "web2:/c")
                        .out()
                        .lines()
                        .map(GrepSortTest::shortened))
                .containsExactly(
                        "begin web2 /c 0",
                        "match web2 /c 50",
                        "end web2 /c 0",
                        "begin web1 /a 0",
                        "match web1 /a 100",
                        "end web1 /a 0",
                        "begin web1 /b 0",
                        "match web1 /b 100",
                        "end web1 /b 0");
    }

    private static String shortened(String json) {
        Matcher found = Pattern.compile("\"type\":\"(\\w+)\".*\"host\":\"(\\w+)\",\"path\":\\{\"text\":\"([^\"]+)\""
                        + "(?:.*\"commit_time\":\"([^\"]+)\")?")
                .matcher(json);
        assertThat(found.find()).as(json).isTrue();
        long second = found.group(4) == null ? 0 : Instant.parse(found.group(4)).getEpochSecond();
        return found.group(1) + " " + found.group(2) + " " + found.group(3) + " " + second;
    }

    @ParameterizedTest
    @ValueSource(strings = {"-c", "-l", "-L", "-A1", "-B1", "-C1"})
    void takesNothingThatIsNotALine(String option) {
        small();
        CommandRun found = grep(option, "x", store().toString());
        assertThat(found.err()).contains("--sort time takes neither");
        assertThat(found.code()).isEqualTo(2);
    }

    @Test
    void findsTheSameWhereTimesAreDamaged() throws IOException {
        small();
        SmallArchive.compact(store());
        SmallArchive.compact(store());
        try (var files = Files.walk(store())) {
            for (Path each : files.filter(file -> file.toString().contains("/history/") && Files.isRegularFile(file))
                    .toList()) {
                Files.write(each, new byte[100]);
            }
        }
        CommandRun found = grep("x", store().toString());
        assertThat(found.out().lines()).containsExactlyInAnyOrderElementsOf(SMALL);
        assertThat(found.err()).contains("history/");
        assertThat(found.code()).isEqualTo(2);
    }

    /** Removes the commits, and keeps the growth of each second. */
    private void compact() throws IOException {
        CompactOptions options = new CompactOptions(0, 0, Codec.ZSTD, 1, 1 << 20, false, 1000);
        try (BlobStore archive = BlobStores.open(store().toString(), false)) {
            for (HostRegistry.Owner host : HostRegistry.hosts(archive)) {
                for (int i = 0; i < 2; i++) {
                    new Compact(archive, options, Clock.systemUTC()::millis, (subject, cause) -> {
                                throw new AssertionError(subject, cause);
                            })
                            .host(host.id());
                }
                assertThat(BlobList.first(archive, ArchiveLayout.log(host.id())))
                        .isNull();
            }
        }
    }

    private record Line(long second, String text) {}

    /** Lines over commits, in any number of files; of some memory, so that most goes into a temporary file. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void findsWhatWasWritten(int compactions) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("GrepSortTest.finds"));
        List<List<Line>> files = new ArrayList<>();
        for (int host = 0; host < 3; host++) {
            try (SmallArchive web = new SmallArchive(store(), "web" + host)) {
                files.addAll(fill(web, "web" + host, random, compactions > 0));
            }
        }
        if (compactions > 1) {
            compact();
        }
        List<String> wanted = files.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingLong(Line::second))
                .map(Line::text)
                .toList();
        for (String memory : List.of("128MiB", "64KiB")) {
            CommandRun found = grep("line", store().toString(), "--memory", memory);
            assertThat(found.err()).isEmpty();
            assertThat(found.out().lines()).as(memory).containsExactlyElementsOf(wanted);
        }
    }

    private List<List<Line>> fill(SmallArchive web, String host, RandomGenerator random, boolean compacted)
            throws IOException {
        List<List<Line>> files = new ArrayList<>();
        List<StringBuilder> open = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            web.file("/log/" + i);
            files.add(new ArrayList<>());
            open.add(new StringBuilder());
        }
        boolean waits = compacted;
        for (long second = random.nextInt(10); second < 200; second += random.nextInt(10)) {
            if (waits && second > 100) {
                compact();
                waits = false;
            }
            int file = random.nextInt(4);
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(200); i >= 0; i--) {
                text.append("line ").append(random.nextLong());
                text.append(second > 180 || i > 0 || random.nextBoolean() ? "\n" : " and ");
            }
            web.append(file + 1, text.toString()).commit(second);
            StringBuilder all = open.get(file).append(text);
            for (int end = all.indexOf("\n"); end >= 0; end = all.indexOf("\n")) {
                files.get(file).add(new Line(second, host + ":/log/" + file + ":" + all.substring(0, end)));
                all.delete(0, end + 1);
            }
        }
        for (int file = 0; file < 4; file++) {
            web.append(file + 1, "\n");
            files.get(file).add(new Line(200, host + ":/log/" + file + ":" + open.get(file)));
        }
        web.commit(200);
        return files.stream()
                .map(lines -> lines.stream()
                        .filter(line -> line.text().contains("line"))
                        .toList())
                .toList();
    }
}
