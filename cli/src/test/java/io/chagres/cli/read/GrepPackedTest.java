package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdOutputStream;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** {@code grep -z}: what files hold that gzip, zstd, xz and bzip2 made, up to where such a file is cut or damaged. */
@Tag("long")
final class GrepPackedTest {
    private static final int LINES = 12_000;
    private static final int RUN_BYTES = 200_000;

    @TempDir
    Path directory = Path.of("");

    private final RandomGenerator random = Seeds.random(Seeds.next("GrepPackedTest"));
    private final StringBuilder text = new StringBuilder();

    /** Packs bytes. */
    private interface Packing {
        OutputStream open(OutputStream out) throws IOException;
    }

    private static final Map<String, Packing> PACKINGS = Map.of(
            "gz",
            GZIPOutputStream::new,
            "zst",
            ZstdOutputStream::new,
            "xz",
            out -> new XZOutputStream(out, new LZMA2Options(0)),
            "bz2",
            out -> new BZip2CompressorOutputStream(out, 1)); // blocks of 100 kB

    private static byte[] packed(String form, byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = Objects.requireNonNull(PACKINGS.get(form)).open(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    @BeforeEach
    void text() {
        for (int i = 0; i < LINES; i++) {
            text.append(i).append(" ERROR ").append(random.nextLong()).append('\n');
        }
    }

    private void file(String name, byte[] bytes) {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/" + name);
            for (int at = 0; at < bytes.length; at += RUN_BYTES) {
                web.append(version, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + RUN_BYTES)));
            }
            web.commit(100);
        }
    }

    private CommandRun grep(String... arguments) {
        List<String> all = new ArrayList<>(List.of("grep", "-z"));
        all.addAll(List.of(arguments));
        all.add(directory.toString());
        return CommandRun.of(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst", "xz", "bz2"})
    void searchesWholeFilesAndSeveralBehindEachOther(String form) throws IOException {
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream twice = new ByteArrayOutputStream();
        twice.writeBytes(packed(form, bytes));
        twice.writeBytes(packed(form, bytes));
        file("a." + form, twice.toByteArray());
        assertThat(grep("-c", "-I", "ERROR")).isEqualTo(new CommandRun(0, 2 * LINES + "\n", ""));
        assertThat(grep("-n", "-I", "^77 ERROR").out()).startsWith("78:77 ERROR ");
    }

    /** What is before the cut is counted, shown and named, and the file is trouble. */
    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst", "xz", "bz2"})
    void searchesACutFileAsFarAsItGoes(String form) throws IOException {
        byte[] whole = packed(form, text.toString().getBytes(StandardCharsets.UTF_8));
        file("c." + form, Arrays.copyOf(whole, whole.length * 3 / 4));
        CommandRun count = grep("-c", "-I", "ERROR");
        assertThat(Integer.parseInt(count.out().strip())).isBetween(LINES / 4, LINES - 1);
        assertThat(count.err()).startsWith("chagres grep: web:/c." + form + ": it is no whole ");
        assertThat(count.code()).isEqualTo(2);
        assertThat(grep("-I", "ERROR").out().lines())
                .hasSize(Integer.parseInt(count.out().strip()));
        assertThat(grep("-l", "ERROR").out()).isEqualTo("web:/c." + form + "\n");
        assertThat(grep("-q", "ERROR").code()).isZero();
        CommandRun without = grep("-L", "nothing");
        assertThat(without.out()).isEmpty();
        assertThat(without.code()).isEqualTo(2);
    }

    /** Bytes that were changed are an error of the file, never one of the program. */
    @ParameterizedTest
    @ValueSource(strings = {"gz", "zst", "xz", "bz2"})
    void namesAFileThatIsDamaged(String form) throws IOException {
        byte[] whole = packed(form, text.toString().getBytes(StandardCharsets.UTF_8));
        for (int at = whole.length / 2; at < whole.length / 2 + 100; at++) {
            whole[at] = (byte) random.nextInt();
        }
        file("d." + form, whole);
        CommandRun count = grep("-c", "-I", "ERROR");
        assertThat(count.err()).startsWith("chagres grep: web:/d." + form + ": it is no whole ");
        assertThat(count.code()).isEqualTo(2);
    }

    @Test
    void namesAFileThatIsOnlyCalledSo() {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            for (String form : PACKINGS.keySet()) {
                web.append(web.file("/x." + form), "BZh9 ERROR");
            }
            web.commit(100);
        }
        CommandRun other = grep("ERROR");
        assertThat(other.err().lines()).hasSize(4).allMatch(line -> line.contains(": it is no whole "));
        assertThat(other.code()).isEqualTo(2);
    }
}
