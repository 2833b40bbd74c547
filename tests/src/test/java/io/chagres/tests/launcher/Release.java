package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Releases of given packages, signed by a key that is made for them. */
final class Release {
    private static final String KEY = "release@test.invalid";

    private final Path work;
    private final Path packages;
    private final String keys;
    private @Nullable Path first;

    /**
     * Makes the key.
     *
     * @param work a directory that is made
     * @param packages what {@code packaging/build.sh} made
     */
    Release(Path work, Path packages) throws IOException {
        Requires.tool("gpg", "apt install gnupg");
        Requires.tool("dpkg-scanpackages", "apt install dpkg-dev");
        this.work = Files.createDirectory(work);
        this.packages = packages;
        Path home = Files.createDirectory(
                work.resolve("keys"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        keys = "GNUPGHOME=" + home;
        String old = "--faked-system-time=20200101T000000!"; // older than any commit
        gpg("--batch", "--quiet", old, "--passphrase", "", "--quick-gen-key", KEY, "ed25519", "sign", "never");
    }

    private void gpg(String... arguments) {
        try {
            String[] command = new String[arguments.length + 3];
            System.arraycopy(arguments, 0, command, 3, arguments.length);
            command[0] = "env";
            command[1] = keys;
            command[2] = "gpg";
            Program.ok(command);
        } finally {
            Program.run(List.of("env", keys, "gpgconf", "--kill", "all"));
        }
    }

    /** Returns one release, which is made once. */
    Path first() throws IOException {
        Path made = first;
        if (made == null) {
            made = make("first");
            first = made;
        }
        return made;
    }

    /** Makes a release in a directory of this name, which it returns. */
    Path make(String name) throws IOException {
        Path release = work.resolve(name);
        String script = Repository.root().resolve("packaging/release.sh").toString();
        Program made = Program.run(List.of(
                "env",
                keys,
                "CHAGRES_SIGN_KEY=" + KEY,
                "CHAGRES_LEAVE_OUT=site", // SiteTest makes it, of what the machine has
                script,
                version(),
                release.toString(),
                packages.toString()));
        Program.run(List.of("env", keys, "gpgconf", "--kill", "all"));
        assertThat(made.exitCode()).as(made.err()).isZero();
        return release;
    }

    private String version() throws IOException {
        try (var found = Files.newDirectoryStream(packages, "chagres_*.deb")) {
            String name = found.iterator().next().getFileName().toString();
            return name.split("_", -1)[1].replace('~', '-');
        }
    }

    /** Checks its signatures and sums as somebody does who has downloaded it, and nothing else. */
    void verify(Path release) throws IOException {
        Path home = Files.createTempDirectory(work, "reader");
        gpg("--homedir", home.toString(), "--quiet", "--import", release + "/chagres.asc");
        gpg("--homedir", home.toString(), "--verify", release + "/SHA256SUMS.asc", release + "/SHA256SUMS");
        gpg("--homedir", home.toString(), "--verify", release + "/apt/dists/stable/InRelease");
        Program sums = sums(release);
        assertThat(sums.exitCode()).as(sums.err()).isZero();
    }

    Program sums(Path release) {
        return Program.run(List.of("sh", "-c", "cd \"$1\" && sha256sum --quiet -c SHA256SUMS", "", release.toString()));
    }
}
