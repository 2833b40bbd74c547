package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code packaging/build.sh} makes, unpacked and installed where there is nothing: no JDK, HOME or network. */
@Tag("e2e")
@Order(0)
class PackagesTest {
    private static final long BUILD_SECONDS = 600;
    private static final long MIB = 1024 * 1024;

    /** The exit code of systemd-nspawn where the machine in it wants to be started again. */
    private static final int REBOOT = 133;

    /** A Debian with systemd; {@code .ci/run} makes it. */
    private static final Path DEBIAN = Repository.root().resolve("target/debian");

    @TempDir
    static Path directory;

    private static Path packages;
    private static @Nullable Release release;

    /** Takes the packages that {@code .ci/run} has made beside other work, or makes them. */
    @BeforeAll
    static void build() {
        Requires.tool("dpkg-deb", "apt install dpkg");
        String made = System.getenv().getOrDefault("CHAGRES_TEST_PACKAGES", "");
        packages = made.isEmpty() ? directory.resolve("packages") : Path.of(made);
        if (made.isEmpty()) {
            String script = Repository.root().resolve("packaging/build.sh").toString();
            Program build = Program.run(List.of(script, packages.toString(), "tar", "deb", "sbom"), BUILD_SECONDS);
            assertThat(build.exitCode()).as(build.err()).isZero();
        }
    }

    @Test
    void theyAreAsSmallAsPromised() throws IOException {
        assertThat(Files.size(one("chagres-0*.tar.gz"))).isLessThanOrEqualTo(60 * MIB);
        String installed = Program.ok("dpkg-deb", "-f", one("chagres_*.deb").toString(), "Installed-Size");
        assertThat(Long.parseLong(installed.strip())).isLessThanOrEqualTo(130 * 1024);
        Program sums = Program.run(
                List.of("sh", "-c", "cd \"$1\" && sha256sum --quiet -c SHA256SUMS", "", packages.toString()));
        assertThat(sums.exitCode()).as(sums.err()).isZero();
    }

    @Test
    void theTarballRunsWhereItIsUnpackedAndAlsoAfterItWasMoved() throws IOException {
        Path first = Files.createDirectories(directory.resolve("one place"));
        Program.ok(
                "tar", "-C", first.toString(), "-xf", one("chagres-0*.tar.gz").toString());
        Program.ok(
                "tar",
                "-C",
                first.toString(),
                "-xf",
                one("chagres-stores-*.tar.gz").toString());
        Path second = directory.resolve("another place");
        Files.move(first, second);
        Path top = top(second);
        Path program = top.resolve("bin/chagres");
        assertThat(Files.readAllLines(top.resolve("chagres@.service")))
                .contains(
                        "ExecStart=/usr/lib/chagres/bin/chagres ship --config /etc/chagres/%i.toml $SHIP",
                        "EnvironmentFile=-/etc/default/chagres-%i", "AmbientCapabilities=CAP_DAC_READ_SEARCH");
        Path logs = Files.createDirectory(directory.resolve("logs"));
        Files.writeString(logs.resolve("a.log"), "a line\n");
        String archive = directory.resolve("archive").toString();
        String state = directory.resolve("state").toString();
        run(program, "", "ship", logs.toString(), "--to", archive, "--state", state, "--host", "h", "--once");
        assertThat(run(program, "", "cat", archive, "h:**/a.log").out()).isEqualTo("a line\n".getBytes());
        String trace = "-Xlog:class+load:stderr";
        assertThat(run(program, trace, "--help").err()).contains(" io.chagres.cli.Main source: shared objects file");
        for (String store : List.of("s3://b/p", "gs://b/p", "azblob://c/p")) {
            Program refused = run(program, trace, "ls", store + "?nonsense=1");
            assertThat(refused.err()).contains("BlobStore source: shared objects file");
        }
    }

    /** With the AOT cache of the first, which the JDK makes while its compiler runs beside. */
    @Test
    void aBuildInAnotherPlaceGivesTheSameBytes() throws IOException {
        Path first = Files.createDirectory(directory.resolve("first"));
        Program.ok(
                "tar", "-C", first.toString(), "-xf", one("chagres-0*.tar.gz").toString());
        Path taken = BuiltParts.withoutStores(directory.resolve("dist"));
        Path second = Files.createDirectories(directory.resolve("some/where")).resolve("else");
        String script = Repository.root().resolve("packaging/package.sh").toString();
        String cache = "CHAGRES_AOT=" + top(first);
        Program again = Program.run(
                List.of("env", "CHAGRES_DIST=" + taken, cache, "SOURCE_DATE_EPOCH=0", script, "--runtime", "" + second),
                BUILD_SECONDS);
        assertThat(again.exitCode()).as(again.err()).isZero();
        List<String> compare = new ArrayList<>(List.of("diff", "-rq"));
        for (String added : List.of("share", "LICENSE", "*.service", "*.timer")) {
            compare.add("--exclude=" + added);
        }
        compare.add(top(first).toString());
        compare.add(second.toString());
        Program differences = Program.run(compare);
        assertThat(text(differences)).isEmpty();
        assertThat(differences.exitCode()).as(differences.err()).isZero();
    }

    private static Path top(Path unpacked) throws IOException {
        try (Stream<Path> all = Files.list(unpacked)) {
            return all.findFirst().orElseThrow();
        }
    }

    /** The build fails where a jar is not in the list, or is known to be vulnerable. */
    @Test
    void theListOfComponentsIsThatOfTheJars() throws IOException {
        Path list = directory.resolve("list.json");
        Files.copy(one("chagres-*.cdx.json"), list);
        Path dist = BuiltParts.directory();
        assertThat(Files.readString(list))
                .containsOnlyOnce("\"name\" : \"openjdk\"")
                .contains(
                        "\"pkg:generic/openjdk@" + Runtime.version().feature() + ".",
                        "?arch=" + System.getProperty("os.arch").replace("amd64", "x86_64") + "\"");
        Path known = directory.resolve("vulnerable.txt");
        Files.writeString(known, "# none\n");
        assertThat(compared(list, dist, known)).isEmpty();
        Files.writeString(known, "com.github.luben:zstd-jni 99.1 CVE-1\norg.tomlj:tomlj 1.0.0 CVE-2\n");
        assertThat(compared(list, dist, known))
                .contains("zstd-jni", "has CVE-1; use 99.1")
                .doesNotContain("CVE-2");
        Path strange = Files.createDirectory(directory.resolve("strange"));
        assertThat(compared(list, strange, known)).contains("there is no jar in ");
        Files.write(strange.resolve("guava-1.jar"), new byte[] {1});
        assertThat(compared(list, strange, known)).contains("guava-1.jar is in the program, and not in the list");
    }

    private static String compared(Path list, Path dist, Path known) {
        String source = Repository.root().resolve("packaging/Components.java").toString();
        String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        Program program =
                Program.run(List.of(java, "-XX:TieredStopAtLevel=1", source, "" + list, "" + dist, "" + known));
        assertThat(program.exitCode()).isEqualTo(program.err().isEmpty() ? 0 : 1);
        return program.err();
    }

    /** The name that podman and containerd give the image when they load it. */
    @Test
    void theImageHasAName() throws IOException {
        Requires.tool("mmdebstrap", "apt install mmdebstrap");
        Requires.optional(
                "an image, which packaging/build.sh makes for .ci/run",
                System.getenv().containsKey("CHAGRES_TEST_PACKAGES"));
        String index = Program.ok("tar", "-xOf", one("chagres-*.oci.tar").toString(), "index.json");
        assertThat(index)
                .containsPattern("\"org.opencontainers.image.ref.name\":\"localhost/chagres:[A-Za-z0-9_.-]+\"")
                .containsPattern("\"io.containerd.image.name\":\"localhost/chagres:[A-Za-z0-9_.-]+\"");
    }

    /** As where it is run: by its own user, with an archive that belongs to that one. */
    @Test
    void theImageIsLoadedAndStarted() throws IOException {
        Requires.root();
        Requires.tool("podman", "apt install podman");
        Requires.tool("runc", "apt install runc"); // which takes cgroups of every kind
        Requires.optional(
                "an image, which packaging/build.sh makes for .ci/run",
                System.getenv().containsKey("CHAGRES_TEST_PACKAGES"));
        Path logs = Files.createDirectory(directory.resolve("container-logs"));
        Files.writeString(logs.resolve("a.log"), "a line\n");
        Path archive = Files.createDirectory(directory.resolve("container-archive"));
        Program.ok("chown", "65532:65532", archive.toString());
        Program.ok("chmod", "755", logs.toString());
        Path whole = release().first();
        List<String> images = List.of(one("chagres-*.oci.tar").toString(), "" + first(whole, "chagres-*.oci.tar"));
        for (String image : images) { // of this architecture alone, and the one of all of them
            String host = "h" + images.indexOf(image);
            String loaded = podman("load", "-i", image);
            assertThat(loaded).containsPattern("Loaded image: localhost/chagres:[A-Za-z0-9_.-]+");
            String name = loaded.replaceAll("(?s).*Loaded image: (\\S+).*", "$1");
            List<String> run = new ArrayList<>(List.of("run", "--rm", "--network=none"));
            // Without more rights than this process has podman could not raise them to its defaults.
            run.addAll(List.of("--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"));
            run.addAll(List.of("--volume=" + logs + ":/logs:ro", "--volume=" + archive + ":/archive", name));
            List<String> ship = List.of("ship", "/logs", "--to", "/archive", "--host", host, "--once");
            podman(Stream.concat(run.stream(), ship.stream()).toArray(String[]::new));
            List<String> cat = List.of("cat", "/archive", host + ":/logs/a.log");
            assertThat(podman(Stream.concat(run.stream(), cat.stream()).toArray(String[]::new)))
                    .isEqualTo("a line\n");
            podman("rmi", name);
        }
    }

    private static String podman(String... arguments) {
        Path images = directory.resolve("images");
        List<String> command = new ArrayList<>(List.of("podman", "--runtime=runc", "--cgroup-manager=cgroupfs"));
        command.addAll(List.of("--storage-driver=vfs", "--root=" + images, "--runroot=" + images.resolve("run")));
        command.addAll(List.of(arguments));
        Program program = Program.run(command, BUILD_SECONDS);
        assertThat(program.exitCode()).as(program.err()).isZero();
        return text(program);
    }

    /** All that a release adds to packages: a repository of apt, an image of all architectures, sums, signatures. */
    @Test
    void aReleaseOfTheSamePartsIsTheSame() throws IOException {
        Path first = release().first();
        Path second = release().make("another");
        Program differences = Program.run(List.of("diff", "-r", first.toString(), second.toString()));
        assertThat(text(differences) + differences.err()).isEmpty();
        release().verify(first);
        assertThat(first.resolve("NOTES.md")).content().startsWith("# Chagres ").contains("\n### Shipping\n");
        assertThat(top(first.resolve("apt/dists/stable/main")).resolve("Packages"))
                .content()
                .contains("\nFilename: pool/chagres_", "\nFilename: pool/chagres-stores_");
        Path cut = second.resolve("NOTES.md");
        Files.writeString(cut, Files.readString(cut) + "more");
        assertThat(release().sums(second).exitCode()).isNotZero();
    }

    private static Release release() throws IOException {
        Release known = release;
        if (known == null) {
            known = new Release(directory.resolve("released"), packages);
            release = known;
        }
        return known;
    }

    @Test
    void installsShipsMountsAndIsPurgedInACleanRoot() throws IOException {
        requireDebian();
        Program program = Program.run(nspawn(DEBIAN, "--ephemeral", "--bind=/dev/fuse", "/test/clean-root.sh"));
        assertThat(text(program)).as(program.err()).endsWith("passed\n");
    }

    @Test
    void livesUnderSystemd() throws IOException {
        requireDebian();
        Path results = Files.createDirectory(directory.resolve("results"));
        Path unit = directory.resolve("packages-test.service");
        Files.writeString(unit, """
                [Unit]
                After=multi-user.target
                [Service]
                ExecStart=/test/systemd.sh
                KillMode=process
                """);
        Path machine = directory.resolve("machine");
        Program.ok("cp", "-a", "--reflink=auto", DEBIAN.toRealPath().toString(), machine.toString());
        List<String> boot = nspawn(
                machine,
                "--boot",
                "--bind=" + results + ":/results",
                "--bind-ro=" + unit + ":/etc/systemd/system/packages-test.service",
                "--",
                "systemd.wants=packages-test.service");
        Program program;
        try {
            program = Program.run(boot);
            if (program.exitCode() == REBOOT) {
                program = Program.run(boot);
            }
        } finally {
            Program.ok("rm", "-rf", machine.toString());
        }
        String log = Files.readString(results.resolve("log"));
        assertThat(results.resolve("passed")).as("%s%n%s", log, text(program)).exists();
        String exposure = Files.readString(results.resolve("exposure")).replaceAll(".*: ([0-9.]+) .*\\R", "$1");
        assertThat(Double.parseDouble(exposure)).isLessThanOrEqualTo(4.0);
    }

    private static void requireDebian() {
        Requires.root();
        Requires.fuse();
        Requires.tool("systemd-nspawn", "apt install systemd-container");
        Requires.allowed(
                "a Debian in " + DEBIAN + " (packaging/debian/test-root.sh)",
                Files.exists(DEBIAN.resolve("sbin/init")));
    }

    /** Returns the command that runs in a Debian. */
    private static List<String> nspawn(Path root, String... more) throws IOException {
        Path scripts = Repository.root().resolve("tests/src/test/resources/packages");
        List<String> command = new ArrayList<>(List.of("systemd-nspawn", "--quiet", "--directory=" + root));
        command.addAll(List.of("--register=no", "--keep-unit", "--private-network", "--console=pipe"));
        command.addAll(List.of("--bind-ro=" + packages + ":/packages", "--bind-ro=" + scripts + ":/test"));
        command.add("--bind-ro=" + release().first() + ":/release");
        command.addAll(List.of(more));
        return command;
    }

    private static Program run(Path program, String flags, String... args) {
        List<String> command = new ArrayList<>(List.of("env", "-i", "CHAGRES_JVM_FLAGS=" + flags, program.toString()));
        command.addAll(List.of(args));
        return Program.run(command);
    }

    private static Path one(String glob) throws IOException {
        return first(packages, glob);
    }

    private static Path first(Path in, String glob) throws IOException {
        try (var found = Files.newDirectoryStream(in, glob)) {
            return found.iterator().next();
        }
    }

    private static String text(Program program) {
        return new String(program.out(), StandardCharsets.UTF_8);
    }
}
