package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.read.Address;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.QueryArchive;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the tests of the package in {@code python} on archives that are written here. */
@Tag("long")
class PythonPackageTest {
    static final Path PACKAGE = Path.of("../python").toAbsolutePath().normalize();
    private static final int ENCRYPTED_LINES = 50_000;
    private static final int LINES_IN_A_RUN = 10_000;

    @TempDir
    private Path archives;

    @Test
    void itsTestsPass() throws IOException {
        boolean everyPython = System.getProperty("nox") != null;
        if (everyPython) {
            Requires.tool("nox");
        } else {
            requireReader();
            Requires.pythonModule("cryptography", "cryptography==48.0.0");
            Requires.pythonModule("fsspec", "fsspec==2026.9.0");
            Requires.pythonModule("pandas", "pandas==3.1.1");
            Requires.pythonModule("duckdb", "duckdb==2.0.0");
        }
        QueryArchive.write(archives.resolve("plain"), false);
        QueryArchive.write(archives.resolve("compacted"), true);
        encrypted();
        many();
        filtered();
        sparse();
        names();
        Program tests = everyPython
                ? Program.run(List.of(
                        "env",
                        "CHAGRES_TEST_ARCHIVES=" + archives,
                        "nox",
                        "-f",
                        PACKAGE.resolve("noxfile.py").toString(),
                        "--envdir",
                        archives.resolve("nox").toString()))
                : pytest(List.of("CHAGRES_TEST_ARCHIVES=" + archives), PACKAGE.resolve("tests"));
        String said = new String(tests.out(), StandardCharsets.UTF_8);
        assertThat(tests.exitCode()).as(said + tests.err()).isZero();
        assertThat(said).contains(" passed");
    }

    /** Requires what every test of the package needs. */
    static void requireReader() {
        Requires.tool("python3");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        Requires.pythonModule("crc32c", "crc32c==2.9.post0");
        Requires.pythonModule("pyarrow", "pyarrow==26.0.1");
        Requires.pythonModule("numpy", "numpy==2.4.6");
        Requires.pythonModule("pytest", "pytest==9.2.0");
    }

    /** Runs tests of the package. */
    static Program pytest(List<String> environment, Path tests) throws IOException {
        List<String> command = new ArrayList<>(List.of("env", "PYTHONPATH=" + PACKAGE, "PYTHONDONTWRITEBYTECODE=1"));
        command.addAll(environment);
        command.addAll(List.of(
                "python3",
                "-m",
                "pytest",
                "--rootdir=" + PACKAGE,
                "-c",
                PACKAGE.resolve("pyproject.toml").toString(),
                tests.toString()));
        return Program.run(command);
    }

    private void encrypted() throws IOException {
        AgeIdentity owner = AgeIdentity.generate();
        Files.writeString(archives.resolve("key"), "# whose\n" + owner.secretText() + "\n");
        try (SmallArchive host = new SmallArchive(archives.resolve("encrypted"), "db1", List.of(owner.recipient()))) {
            long secret = host.file("/secret");
            for (int from = 0; from < ENCRYPTED_LINES; from += LINES_IN_A_RUN) {
                StringBuilder text = new StringBuilder();
                for (int i = from; i < from + LINES_IN_A_RUN; i++) {
                    text.append("secret ").append(i).append('\n');
                }
                host.append(secret, text.toString()).commit(1_000 + from);
            }
        }
    }

    private void many() {
        for (String name : List.of("a1", "a2", "a3")) {
            try (SmallArchive host = new SmallArchive(archives.resolve("many"), name)) {
                host.append(host.file("/etc/motd"), "of " + name + "\n").commit(1);
            }
        }
    }

    /** Files of all kinds of names, which hold what the program prints of these. */
    private void names() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("PythonPackageTest"));
        Set<Pathname> paths = new TreeSet<>(List.of(Pathname.of("/a["), Pathname.of("/a\\[")));
        byte[] alphabet = "ab*?[]{},:!^-\\x41\n\u00e9\u2028\u00a0\u202e \"~".getBytes(StandardCharsets.UTF_8);
        while (paths.size() < 100) {
            byte[] name = new byte[2 + random.nextInt(8)];
            name[0] = '/';
            for (int i = 1; i < name.length; i++) {
                name[i] = random.nextInt(10) == 0 ? (byte) 0xff : alphabet[random.nextInt(alphabet.length)];
            }
            paths.add(Pathname.ofBytes(name));
        }
        List<String> printed = new ArrayList<>();
        try (DirectoryStore store = DirectoryStore.open(
                        Pathname.of(archives.resolve("names").toString()), true);
                Host host = new Host(store, QueryArchive.ID, "h:1")) {
            for (Pathname path : paths) {
                String address = Address.of("h:1", path);
                host.inline(host.file(path), address);
                printed.add(address);
            }
            host.commit();
        }
        Files.write(archives.resolve("names.txt"), printed);
    }

    private void sparse() {
        try (SmallArchive host = new SmallArchive(archives.resolve("sparse"), "web1")) {
            long sparse = host.file("/sparse");
            long hole = 1L << 60;
            host.append(sparse, "first\nneedle 1");
            host.extend(sparse, hole, new LogRecord.ZeroRun(sparse, 14, hole, 0));
            host.append(sparse, "\nneedle 2\nlast\n").commit(100);
        }
    }

    /** Files that a filter covers, bytes that are no text, and lines that are longer than what is read at once. */
    private void filtered() throws IOException {
        Path folder = archives.resolve("filtered");
        try (DirectoryStore store = DirectoryStore.open(Pathname.of(folder.toString()), true);
                Host host = new Host(store, QueryArchive.ID, "web1")) {
            StringBuilder hay = new StringBuilder(); // it has too many words to share a part of the filter
            for (int i = 0; i < 100_000; i++) {
                hay.append("a straw-of-hay-number-").append(i).append('\n');
            }
            host.object(host.file("/hay"), hay.toString().getBytes(StandardCharsets.UTF_8), Codec.ZSTD);
            host.file("/needle", "no\nthe needle-in-a-haystack\nmore\n");
            host.inline(host.file("/bytes"), new byte[] {'a', (byte) 0xff, 'b', '\n', (byte) 0xc3, (byte) 0xa4, '\n'});
            String lines = "x".repeat(9_000_000) + "\ny\n\n" + "z".repeat(20_000_000);
            host.object(host.file("/long"), lines.getBytes(StandardCharsets.UTF_8), Codec.ZSTD);
            host.commit();
        }
        SmallArchive.compact(folder);
    }
}
