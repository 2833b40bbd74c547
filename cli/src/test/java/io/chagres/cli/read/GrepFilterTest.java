package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code grep} with filters finds what it finds without, and reads less. */
@Tag("long")
final class GrepFilterTest {
    private static final int PIECE = LogRecord.PIECE_BYTES;

    @TempDir
    Path directory = Path.of("");

    private final List<String> ids = new ArrayList<>();

    private Path store() {
        return directory.resolve("archive");
    }

    private CommandRun grep(List<String> options) {
        List<String> all = new ArrayList<>(List.of("grep"));
        all.addAll(options);
        all.add(store().toString());
        return CommandRun.of(all.toArray(String[]::new));
    }

    private List<Path> filters() throws IOException {
        try (var all = Files.walk(store())) {
            return all.filter(each -> each.getParent().endsWith("filters"))
                    .sorted()
                    .toList();
        }
    }

    private static String id(RandomGenerator random) {
        String hex = String.format("%016x%016x", random.nextLong(), random.nextLong());
        return switch (random.nextInt(4)) {
            case 0 ->
                hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16) + "-"
                        + hex.substring(16, 20) + "-" + hex.substring(20);
            case 1 -> hex;
            case 2 -> hex.substring(0, 16);
            default -> "id=" + hex.substring(0, random.nextInt(3, 15)) + ";";
        };
    }

    /** Returns bytes with lines of all kinds: without an end, very long, with zero bytes, with ids over any border. */
    private byte[] text(RandomGenerator random, int length) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (text.size() < length) {
            String id = id(random);
            if (random.nextInt(20) == 0) {
                ids.add(id);
            }
            int kind = random.nextInt(2000);
            String line = kind == 0
                    ? "x-".repeat(random.nextInt(PIECE * 2)) + id
                    : kind == 1 ? id + "\0" : kind < 1000 ? "GET /a " + id + " 200" : id + "\u00e9 ERROR of something";
            text.writeBytes((line + (random.nextInt(50) == 0 ? "" : "\n")).getBytes(StandardCharsets.UTF_8));
        }
        return text.toByteArray();
    }

    private static void append(SmallArchive web, long version, byte[] bytes, RandomGenerator random) {
        for (int at = 0; at < bytes.length; ) {
            int part = Math.min(bytes.length - at, random.nextInt(1, PIECE));
            byte[] piece = new byte[part];
            System.arraycopy(bytes, at, piece, 0, part);
            web.append(version, piece);
            at += part;
            web.commit(100);
        }
    }

    private void fill(RandomGenerator random) throws IOException {
        try (SmallArchive web = new SmallArchive(store(), "web")) {
            List<Long> versions = new ArrayList<>();
            long length = 0;
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 3; i++) {
                    versions.add(web.file("/log/" + versions.size()));
                }
                for (long version : versions) {
                    byte[] bytes = text(random, random.nextInt(4) == 0 ? 200 : random.nextInt(3 * PIECE));
                    append(web, version, bytes, random);
                    length += version == 1 ? bytes.length : 0;
                }
                web.extend(1, 3000, new LogRecord.ZeroRun(1, length, 3000, 0));
                length += 3000;
                web.commit(200 + round);
                if (round < 2) {
                    SmallArchive.compact(store());
                }
            }
            web.remove("/log/2").commit(300);
        }
    }

    @Test
    void findsWhatItFindsWithout() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("GrepFilterTest.finds"));
        fill(random);
        assertThat(filters()).isNotEmpty();
        List<List<String>> questions = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String id = ids.get(random.nextInt(ids.size()));
            String other = ids.get(random.nextInt(ids.size()));
            String absent = id(random);
            int from = random.nextInt(id.length() / 2);
            String part = id.substring(from, random.nextInt(from + 1, id.length() + 1));
            questions.add(List.of("-F", id));
            questions.add(List.of("-F", part));
            questions.add(List.of("-F", "-c", absent));
            questions.add(
                    switch (i % 12) {
                        case 0 -> List.of("-F", "-i", id.toUpperCase(Locale.ROOT));
                        case 1 -> List.of("-F", "-e", id, "-e", other, "-e", absent);
                        case 2 -> List.of(id + "|" + other);
                        case 3 -> List.of("-a", "[a ]" + id + ".*");
                        case 4 -> List.of("-v", "-c", id);
                        case 5 -> List.of("-L", id);
                        case 6 -> List.of("-l", id);
                        case 7 -> List.of("--sort", "time", id);
                        case 8 -> List.of("-n", "-C", "1", id);
                        case 9 -> List.of("-o", "-m", "1", part);
                        case 10 -> List.of("-a", "-w", "--until", "@201", id);
                        default -> List.of("-x", "GET /a " + id + " 200", "--at", "@200");
                    });
        }
        List<CommandRun> with = questions.stream().map(this::grep).toList();
        for (Path filter : filters()) {
            Files.delete(filter);
        }
        for (int i = 0; i < questions.size(); i++) {
            assertThat(with.get(i)).as("%s", questions.get(i)).isEqualTo(grep(questions.get(i)));
        }
    }

    @Test
    void aDamagedFilterHidesNothing() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("GrepFilterTest.damage"));
        fill(random);
        String id = ids.stream().filter(each -> each.length() >= 16).findFirst().orElseThrow();
        String found = grep(List.of("-a", "-F", id)).out();
        assertThat(found).contains(id);
        for (Path filter : filters()) {
            byte[] bytes = Files.readAllBytes(filter);
            for (int i = 0; i < 30; i++) {
                byte[] damaged = bytes.clone();
                if (i % 3 == 0) {
                    Arrays.fill(damaged, 24 + random.nextInt(bytes.length - 24), bytes.length, (byte) 0);
                } else {
                    damaged[i < 15 ? random.nextInt(100) : random.nextInt(bytes.length)] ^=
                            (byte) (1 << random.nextInt(8));
                }
                Files.write(filter, damaged);
                CommandRun grep = grep(List.of("-a", "-F", id));
                assertThat(grep.out()).isEqualTo(found);
                assertThat(grep.code()).isZero();
            }
            Files.write(filter, new byte[100]);
            assertThat(grep(List.of("-F", id)).err()).contains("filters/", "is damaged", "all that it covers is read");
            Files.write(filter, bytes);
        }
    }
}
