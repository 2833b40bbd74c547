package io.chagres.archive.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.GoldenFilesTest;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.SmallArchive;
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
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Gives archives to the package in {@code python} as well: hostile ones of the corpus and made ones, golden objects,
 * and whole ones that are compacted, signed or encrypted; some with a byte changed. It reads the same, or refuses it.
 */
@Tag("long")
class PythonComparisonTest {
    private static final String PACKAGE =
            Path.of("../python").toAbsolutePath().normalize().toString();
    private static final int MADE = 300;
    private static final int CHANGED = 100;
    private static final int READ_BYTES = 300_000;

    @TempDir
    private Path directory;

    /**
     * An archive of one host.
     *
     * @param store reads it
     */
    private record Archive(BlobStore store, String hostId, Path folder) {}

    private final Map<String, Archive> archives = new TreeMap<>();

    /** Names of those that the package is told to believe another's signature of. */
    private final Set<String> strangers = new HashSet<>();

    /** Why the last archive was refused; empty if it was read. */
    private String refusal = "";

    /** Why the package refused archives, by their names. */
    private final Map<String, String> causes = new TreeMap<>();

    @Test
    void readsTheSameOrRefusesTheSame() throws IOException {
        Requires.tool("python3");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        Requires.pythonModule("cryptography", "cryptography==48.0.0");
        corpus();
        golden();
        long seed = Seeds.next("PythonComparisonTest");
        for (int i = 0; i < Share.count(MADE); i++) {
            RandomGenerator random = Seeds.random(seed + i);
            MemoryStore store = new MemoryStore();
            HostRegistry.claim(store, HostileStore.ID, "host", new Machine("host", "m", "u", "b", "6.0"), 1);
            HostileCommitsTest.write(random, store, new RandomRecords(random, store));
            if (i % 3 == 0) {
                change(store, random);
            }
            put("seed " + (seed + i), HostileStore.ID, store);
        }
        whole(Seeds.random(seed));
        Map<String, List<String>> theirs = python();
        for (Map.Entry<String, Archive> each : archives.entrySet()) {
            List<String> ours = describe(each.getValue());
            if (strangers.contains(each.getKey())) {
                assertThat(theirs.get(each.getKey())).containsExactly(HostileStore.ID + " refused");
                continue;
            }
            assertThat(theirs.get(each.getKey()))
                    .as(each.getKey() + " " + refusal + " " + causes.get(each.getKey()))
                    .isEqualTo(ours);
        }
    }

    private void put(String name, String hostId, MemoryStore store) throws IOException {
        Path folder = directory.resolve("archive" + archives.size());
        for (String key : store.keys()) {
            Path file = folder.resolve(key);
            Files.createDirectories(file.getParent());
            Files.write(file, store.bytes(key));
        }
        archives.put(name, new Archive(store, hostId, folder));
    }

    private void corpus() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test/resources/fuzz"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".zip")).toList()) {
                put(file.getFileName().toString(), HostileStore.ID, HostileStore.unzip(Files.readAllBytes(file)));
            }
        }
        assertThat(archives).hasSizeGreaterThan(5);
    }

    private void golden() throws IOException {
        for (GoldenFilesTest.Archive each : GoldenFilesTest.archives()) {
            put("golden " + each.name(), LogFixture.HOST, each.store());
        }
    }

    /** Archives with everything that readers know, as they are and with a bit changed. */
    private void whole(RandomGenerator random) throws IOException {
        AgeIdentity owner = AgeIdentity.generate();
        SigningKey key = SigningKey.generate();
        KeyRing keys = KeyRing.reading(List.of(owner)).to(List.of(owner.recipient()), List.of());
        String trusted = TrustList.line(HostileStore.ID, key.publicKey()) + "\n";
        String stranger = TrustList.line(HostileStore.ID, SigningKey.generate().publicKey()) + "\n";
        for (int i = 0; i < Share.count(CHANGED); i++) {
            boolean isChanged = i >= 5;
            boolean isSigned = isChanged ? random.nextBoolean() : i % 2 == 1;
            boolean isEncrypted = isChanged ? random.nextBoolean() : i == 2 || i == 3;
            boolean isCompacted = isChanged ? random.nextBoolean() : i == 3 || i == 4;
            MemoryStore store = new MemoryStore();
            write(
                    ProtectedStore.of(store, isEncrypted ? keys : KeyRing.NONE),
                    isSigned ? key : null,
                    isCompacted,
                    random);
            if (isChanged) {
                List<String> stored = store.keys("hosts/");
                flip(store, stored.get(random.nextInt(stored.size())), random);
            }
            String name = "whole " + i + (isSigned ? " signed" : "") + (isEncrypted ? " encrypted" : "")
                    + (isCompacted ? " compacted" : "");
            put(name, HostileStore.ID, store);
            Archive made = Objects.requireNonNull(archives.get(name));
            if (isEncrypted) {
                archives.put(name, new Archive(ProtectedStore.of(store, keys), made.hostId(), made.folder()));
                Files.writeString(Path.of(made.folder() + ".key"), owner.secretText() + "\n");
            }
            if (isSigned && !isChanged && !isCompacted) {
                Files.writeString(Path.of(made.folder() + ".trust"), trusted);
                put(name + " by another", HostileStore.ID, store);
                Path others = Objects.requireNonNull(archives.get(name + " by another"))
                        .folder();
                Files.writeString(Path.of(others + ".trust"), stranger);
                if (isEncrypted) {
                    Files.writeString(Path.of(others + ".key"), owner.secretText() + "\n");
                }
                strangers.add(name + " by another");
            }
        }
    }

    private static void write(BlobStore store, @Nullable SigningKey key, boolean isCompacted, RandomGenerator random)
            throws IOException {
        try (Host host = new Host(store, HostileStore.ID, "host", key)) {
            host.directory("/var");
            long log = host.file("/var/log", "line 1\n");
            host.symlink("/var/current", "log");
            byte[] bytes = new byte[300_000];
            random.nextBytes(bytes);
            if (key == null || isCompacted) {
                host.object(log, bytes, Codec.ZSTD);
            } else {
                host.inline(log, Arrays.copyOf(bytes, 200_000)); // which a signature covers
            }
            host.commit();
            host.move("/var/log", "/var/log.1");
            long next = host.file("/var/log", "line 2\n");
            host.zeros(next, 5000);
            host.copy(next, log, 10, 20_000);
            host.commit();
            if (isCompacted) {
                SmallArchive.compact(store, 0, Clock.systemUTC());
            }
            host.inline(next, "line 3\n");
            host.remove("/var/current");
            host.close(log, LogRecord.Reason.TRUNCATED);
            host.commit();
        }
    }

    /** Changes a byte of an object of the log. */
    private static void change(MemoryStore store, RandomGenerator random) {
        List<String> keys = store.keys("/log/");
        flip(store, keys.get(random.nextInt(keys.size())), random);
    }

    private static void flip(MemoryStore store, String key, RandomGenerator random) {
        byte[] bytes = store.bytes(key).clone();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        store.replace(key, bytes);
    }

    /** Returns what the package says of each archive. */
    private Map<String, List<String>> python() throws IOException {
        List<String> command =
                new ArrayList<>(List.of("env", "PYTHONPATH=" + PACKAGE, "python3", PACKAGE + "/tests/describe.py"));
        List<String> names = new ArrayList<>();
        archives.forEach((name, each) -> {
            names.add(name);
            command.add(each.folder().toString());
        });
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
    private List<String> describe(Archive archive) throws IOException {
        BlobStore store = archive.store();
        String hostId = archive.hostId();
        List<String> lines = new ArrayList<>();
        HostState state;
        refusal = "";
        try {
            state = HostLog.load(store, hostId, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        } catch (CorruptArchiveException | CompactedHistoryException | EncryptedException e) {
            refusal = e.toString();
            return List.of(hostId + " refused");
        }
        lines.add(hostId + " " + state.seq() + " " + state.timeMs());
        for (NameTree.Entry entry : state.names()) {
            FileVersion version = entry.version();
            lines.add("name " + HexFormat.of().formatHex(entry.path().bytes()) + " "
                    + entry.kind().ordinal() + " " + (version == null ? 0 : version.id()) + " "
                    + HexFormat.of().formatHex(entry.target().bytes())
                    + (version == null ? " " + text(entry.attributes()) : ""));
        }
        try (VersionReader reader = new VersionReader(store, hostId, state)) {
            for (FileVersion version : state.versions()) {
                lines.add("version " + version.id() + " " + version.startPosition() + " " + version.length() + " "
                        + version.state().name().toLowerCase(Locale.ROOT) + " " + version.nameCount() + " "
                        + text(version.attributes()) + " " + version.openedMs() + " " + version.changedMs() + " "
                        + read(reader, version));
            }
        }
        return lines;
    }

    private static String text(InodeAttributes attributes) {
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
        } catch (CorruptArchiveException | EncryptedException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, done);
        return version.startPosition() + done + " " + crc.getValue();
    }
}
