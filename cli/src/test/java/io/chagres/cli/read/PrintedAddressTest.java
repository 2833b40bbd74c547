package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.testing.Host;
import io.chagres.cli.CommandRun;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ls} prints of a file can be given to every command that takes an address, whatever its name is. */
@Tag("long")
final class PrintedAddressTest {
    private static final Pattern ADDRESS = Pattern.compile("\"address\":\"((?:[^\"\\\\]|\\\\.)*)\"");

    @TempDir
    Path directory = Path.of("");

    private final RandomGenerator random = Seeds.random(Seeds.next("PrintedAddressTest"));
    private int files;

    /** Each file holds the number that it was written as, with an end of line. */
    @BeforeEach
    void write() throws IOException {
        Set<Pathname> paths = new TreeSet<>();
        byte[] alphabet = "ab-*?[]{},:!^\\x0\n\t\"' ~$\u00e9\u202e".getBytes(StandardCharsets.UTF_8);
        while (paths.size() < 25) {
            byte[] name = new byte[2 + random.nextInt(6)];
            name[0] = '/';
            for (int i = 1; i < name.length; i++) {
                name[i] = random.nextInt(8) == 0 ? (byte) 0xfe : alphabet[random.nextInt(alphabet.length)];
            }
            paths.add(Pathname.ofBytes(name));
        }
        int number = 0;
        for (String host : List.of("-h:1", "h[1]{a,b}")) {
            try (DirectoryStore store = DirectoryStore.open(Pathname.of(archive()), true);
                    Host written = new Host(store, number == 0 ? "0000000000000001" : "0000000000000002", host)) {
                for (Pathname path : paths) {
                    written.inline(written.file(path), number++ + "\n");
                }
                written.commit();
            }
        }
        files = number;
    }

    private String archive() {
        return directory.resolve("archive").toString();
    }

    private static String out(String... command) {
        CommandRun run = CommandRun.of(command);
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        return run.out();
    }

    @Test
    void isTakenByEachCommand() throws IOException {
        List<String> printed = out("ls", archive(), "*:").lines().toList();
        assertThat(printed).hasSize(files).doesNotHaveDuplicates();
        Set<String> contents = new TreeSet<>();
        for (String address : printed) {
            String content = out("cat", archive(), address);
            assertThat(contents.add(content)).as(address).isTrue();
            assertThat(out("tail", archive(), address)).as(address).isEqualTo(content);
            assertThat(out("grep", "", archive(), address)).as(address).isEqualTo(address + ":" + content);
            assertThat(out("ls", archive(), address)).as(address).isEqualTo(address + "\n");
            assertThat(unquoted(out("ls", "--json", archive(), address))).isEqualTo(address);
            assertThat(unquoted(out("cat", "--json", archive(), address))).isEqualTo(address);
        }
        for (String address : printed.subList(0, 10)) {
            Path back = directory.resolve("back" + printed.indexOf(address));
            out("restore", archive(), back.toString(), address, "--quiet");
            try (Stream<Path> walk = Files.walk(back)) {
                assertThat(walk.filter(Files::isRegularFile).toList())
                        .singleElement()
                        .satisfies(
                                file -> assertThat(Files.readString(file)).isEqualTo(out("cat", archive(), address)));
            }
        }
    }

    /** Returns the address of a line of JSON. */
    private static String unquoted(String json) {
        Matcher address = ADDRESS.matcher(json);
        assertThat(address.find()).as(json).isTrue();
        return address.group(1).replaceAll("\\\\(.)", "$1");
    }
}
