package io.chagres.archive.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Attributes;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Gives hostile archives, of the corpus and made ones, some with a byte changed, to the package in {@code python} as
 * well: it reads the same, or refuses the same.
 */
class PythonComparisonTest {
    private static final String PACKAGE =
            Path.of("../python").toAbsolutePath().normalize().toString();
    private static final int MADE = 300;
    private static final int READ_BYTES = 300_000;

    @TempDir
    private Path directory;

    private final Map<String, MemoryStore> archives = new TreeMap<>();

    /** Why the last archive was refused; empty if it was read. */
    private String refusal = "";

    /** Why the package refused archives, by their names. */
    private final Map<String, String> causes = new TreeMap<>();

    @Test
    void readsTheSameOrRefusesTheSame() throws IOException {
        Requires.tool("python3");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        corpus();
        long seed = Seeds.next("PythonComparisonTest");
        for (int i = 0; i < Share.count(MADE); i++) {
            RandomGenerator random = Seeds.random(seed + i);
            MemoryStore store = new MemoryStore();
            HostRegistry.claim(store, HostileStore.ID, "host", new Machine("host", "m", "u", "b", "6.0"), 1);
            HostileCommitsTest.write(random, store, new RandomRecords(random, store));
            if (i % 3 == 0) {
                change(store, random);
            }
            archives.put("seed " + (seed + i), store);
        }
        Map<String, List<String>> theirs = python();
        for (Map.Entry<String, MemoryStore> each : archives.entrySet()) {
            List<String> ours = describe(each.getValue());
            assertThat(theirs.get(each.getKey()))
                    .as(each.getKey() + " " + refusal + " " + causes.get(each.getKey()))
                    .isEqualTo(ours);
        }
    }

    private void corpus() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test/resources/fuzz"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".zip")).toList()) {
                archives.put(file.getFileName().toString(), HostileStore.unzip(Files.readAllBytes(file)));
            }
        }
        assertThat(archives).hasSizeGreaterThan(5);
    }

    /** Changes a byte of an object of the log. */
    private static void change(MemoryStore store, RandomGenerator random) {
        List<String> keys = store.keys("/log/");
        String key = keys.get(random.nextInt(keys.size()));
        byte[] bytes = store.bytes(key).clone();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        store.replace(key, bytes);
    }

    /** Returns what the package says of each archive. */
    private Map<String, List<String>> python() throws IOException {
        List<String> command =
                new ArrayList<>(List.of("env", "PYTHONPATH=" + PACKAGE, "python3", PACKAGE + "/tests/describe.py"));
        List<String> names = new ArrayList<>();
        for (Map.Entry<String, MemoryStore> each : archives.entrySet()) {
            Path folder = Files.createDirectory(directory.resolve("archive" + names.size()));
            for (String key : each.getValue().keys()) {
                Path file = folder.resolve(key);
                Files.createDirectories(file.getParent());
                Files.write(file, each.getValue().bytes(key));
            }
            names.add(each.getKey());
            command.add(folder.toString());
        }
        Program run = Program.run(command);
        assertThat(run.exitCode()).as(run.err()).isZero();
        Map<String, List<String>> found = new TreeMap<>();
        List<String> lines = new ArrayList<>();
        for (String line : new String(run.out(), StandardCharsets.UTF_8).lines().toList()) {
            if (line.startsWith("archive ")) {
                lines = new ArrayList<>();
                found.put(names.get(found.size()), lines);
            } else if (line.startsWith("because ")) {
                causes.put(names.get(found.size() - 1), line);
            } else {
                lines.add(line);
            }
        }
        return found;
    }

    /** Returns the same as {@code describe.py} prints. */
    private List<String> describe(MemoryStore store) throws IOException {
        List<String> lines = new ArrayList<>();
        HostState state;
        refusal = "";
        try {
            state = HostLog.load(store, HostileStore.ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            refusal = e.toString();
            return List.of(HostileStore.ID + " refused");
        }
        lines.add(HostileStore.ID + " " + state.seq() + " " + state.timeMs());
        for (NameTree.Entry entry : state.names()) {
            FileVersion version = entry.version();
            lines.add("name " + HexFormat.of().formatHex(entry.path().bytes()) + " "
                    + entry.kind().ordinal() + " " + (version == null ? 0 : version.id()) + " "
                    + HexFormat.of().formatHex(entry.target().bytes())
                    + (version == null ? " " + text(entry.attributes()) : ""));
        }
        try (VersionReader reader = new VersionReader(store, HostileStore.ID, state)) {
            for (FileVersion version : state.versions()) {
                lines.add("version " + version.id() + " " + version.startPosition() + " " + version.length() + " "
                        + version.state().name().toLowerCase(Locale.ROOT) + " " + version.nameCount() + " "
                        + text(version.attributes()) + " " + version.openedMs() + " " + version.changedMs() + " "
                        + read(reader, version));
            }
        }
        return lines;
    }

    private static String text(Attributes attributes) {
        return attributes.mode() + " " + Integer.toUnsignedString(attributes.uid()) + " "
                + Integer.toUnsignedString(attributes.gid()) + " " + attributes.mtimeNs();
    }

    /** Returns up to which position a version can be read, and a checksum of its bytes. */
    private static String read(VersionReader reader, FileVersion version) throws IOException {
        byte[] bytes = new byte[(int) Math.min(READ_BYTES, version.length() - version.startPosition())];
        int done = 0;
        try {
            while (done < bytes.length) {
                done += reader.read(
                        version,
                        version.startPosition() + done,
                        MemorySegment.ofArray(bytes).asSlice(done));
            }
        } catch (CorruptArchiveException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, done);
        return version.startPosition() + done + " " + crc.getValue();
    }
}
