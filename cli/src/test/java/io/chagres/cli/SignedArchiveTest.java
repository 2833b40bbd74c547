package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An archive whose commits are signed, after everything that somebody can do who writes the store but has no key. */
@Tag("long")
@Order(1)
final class SignedArchiveTest extends SignedArchive {
    @BeforeEach
    void shipThreeTimes() throws IOException {
        for (int i = 0; i < 3; i++) {
            grow();
            ship("web1", "--sign");
        }
        CommandRun key = CommandRun.of("head", archive.toString(), "web1", "--key", "--state", state("web1"));
        assertThat(key.code()).as(key.err()).isZero();
        Files.writeString(trust, "# whom we believe\n" + key.out());
    }

    private void requireUnproven(String what) {
        CommandRun verify = verify();
        assertThat(verify.out()).contains(what).contains("signatures do not prove all of 1 host");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
    }

    /** A heartbeat names the last commit, too: a thief who cuts the log off removes both. */
    private void forgetHeartbeats() throws IOException {
        for (Path each : stored("alive/")) {
            Files.delete(each);
        }
    }

    private Path heads() throws IOException {
        CommandRun head = CommandRun.of("head", archive.toString(), "web1");
        assertThat(head.code()).as(head.err()).isZero();
        return Files.writeString(folder.resolve("heads"), head.out());
    }

    /** With {@code --trust} the package for Python gives what is proven, and nothing else. */
    @Test
    void thePackageForPythonGivesWhatIsProven() throws IOException {
        Requires.tool("python3");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        Requires.pythonModule("cryptography", "cryptography==48.0.0");
        Path restored = folder.resolve("proven");
        assertThat(python("restore", restored.toString(), "--trust", trust.toString()))
                .isEmpty();
        Path large = tree.resolve("large.log");
        assertThat(Files.mismatch(Path.of(restored.resolve("web1").toString() + large), large))
                .isEqualTo(-1);
        Path others = Files.writeString(
                folder.resolve("others"),
                Files.readString(trust).replaceAll("ed25519:\\S+", "ed25519:" + "A".repeat(43) + "="));
        assertThat(python("list", "--trust", others.toString())).contains("is signed by a key that is not trusted");
        Path object = stored("streams/").getFirst();
        byte[] bytes = Files.readAllBytes(object);
        byte[] changed = bytes.clone();
        changed[changed.length / 2] ^= 1;
        replace(object, changed);
        assertThat(python("restore", folder.resolve("changed").toString(), "--trust", trust.toString()))
                .contains("it is not what was signed");
        replace(object, bytes);
        String signing = folder.resolve("compact-key").toString();
        CommandRun signed = CommandRun.of(
                "compact", archive.toString(), "--grace", "0", "--trust", trust.toString(), "--sign", signing);
        assertThat(signed.code()).as(signed.err()).isZero();
        assertThat(python("list", "--trust", trust.toString())).contains("is not trusted with compaction");
        CommandRun line = CommandRun.of("head", archive.toString(), "--key", "--sign", signing);
        Files.writeString(trust, line.out(), StandardOpenOption.APPEND);
        append("large", 20);
        ship("web1", "--sign");
        Path compacted = folder.resolve("compacted");
        assertThat(python("restore", compacted.toString(), "--trust", trust.toString()))
                .isEmpty();
        assertThat(Files.mismatch(Path.of(compacted.resolve("web1").toString() + large), large))
                .isEqualTo(-1);
        Path pack = stored("0000000000000000/").getFirst();
        byte[] packed = Files.readAllBytes(pack);
        byte[] forged = packed.clone();
        forged[forged.length / 2] ^= 1;
        replace(pack, forged);
        assertThat(python("restore", folder.resolve("forged").toString(), "--trust", trust.toString()))
                .contains("it is not what was signed");
        replace(pack, packed);
        assertThat(CommandRun.of("compact", archive.toString(), "--grace", "0").code())
                .isZero();
        assertThat(python("list", "--trust", trust.toString()))
                .contains("its first commits were compacted, and no manifest that a trusted key signed");
    }

    /** Returns what the package said on standard error. */
    private String python(String... args) {
        String packages = Path.of("../python").toAbsolutePath().normalize().toString();
        List<String> command = List.of("env", "PYTHONPATH=" + packages, "python3", "-m", "chagres", archive.toString());
        return Program.run(Stream.concat(command.stream(), Stream.of(args)).toList())
                .err();
    }

    @Test
    void isProvenWhole() throws IOException {
        int commits = stored("log/").size();
        CommandRun verify = verify();
        assertThat(verify.out())
                .contains(": commits 1 to " + commits + " proven: signed by ed25519:")
                .contains("signatures prove all of it");
        assertThat(verify.code()).isZero();
        assertThat(verify("--json").out())
                .contains("\"provenTo\":" + commits + ",\"from\":1,\"to\":" + commits + ",\"proven\":true")
                .contains("\"unprovenHosts\":0}");
        assertThat(verify("--head", heads().toString()).code()).isZero();
        assertThat(CommandRun.of("cat", archive.toString(), "web1:" + tree.resolve("large.log"))
                        .out()
                        .equals(Files.readString(tree.resolve("large.log"))))
                .isTrue();
        try (Stream<Path> all = Files.walk(Path.of(state("web1")))) {
            assertThat(all.filter(each -> each.endsWith("signing-key")))
                    .singleElement()
                    .satisfies(key -> assertThat(Files.getPosixFilePermissions(key))
                            .isEqualTo(PosixFilePermissions.fromString("rw-------")));
        }
    }

    /** Readers believe a checkpoint and the packs that it refers to; the commits that are proven are not asked. */
    @Test
    void doesNotCallACompactedHostProven() throws IOException {
        assertThat(CommandRun.of("compact", archive.toString()).code()).isZero();
        requireUnproven(" unproven: no signature covers hosts/");
        assertThat(verify().out()).contains(" proven: signed by ed25519:").doesNotContain("signatures prove all");
        assertThat(verify("--json").out()).contains("\"unsignedObjects\":", "\"unprovenHosts\":1}");
        for (Path checkpoint : stored("checkpoints/")) {
            Files.delete(checkpoint);
        }
        requireUnproven(" unproven: no signature covers hosts/");
    }

    @Test
    void tellsTheKeyWhenItIsNew() {
        assertThat(ship("web1", "--sign")).doesNotContain("need this line");
        assertThat(ship("web2", "--sign")).contains("need this line: ").contains(" ed25519:");
    }

    @Test
    void tellsThatNothingIsSignedAnyLonger() throws IOException {
        grow();
        assertThat(ship("web1")).contains("commits are no longer signed, since --sign is missing");
        assertThat(ship("web1", "--sign")).doesNotContain("signed");
        assertThat(ship("web2")).doesNotContain("signed");
    }

    @Test
    void showsAChangedObject() throws IOException {
        Path object = stored("streams/").getFirst();
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 1;
        replace(object, bytes);
        requireUnproven(" is not what was signed");
    }

    @Test
    void showsObjectsThatWereSwapped() throws IOException {
        List<Path> objects = stored("streams/");
        byte[] first = Files.readAllBytes(objects.get(0));
        replace(objects.get(0), Files.readAllBytes(objects.get(1)));
        replace(objects.get(1), first);
        requireUnproven(" is not what was signed");
    }

    @Test
    void showsADeletedObject() throws IOException {
        Files.delete(stored("streams/").getFirst());
        requireUnproven(" is missing");
    }

    @Test
    void showsCommitsThatWereReordered() throws IOException {
        List<Path> commits = stored("log/");
        byte[] second = Files.readAllBytes(commits.get(1));
        replace(commits.get(1), Files.readAllBytes(commits.get(2)));
        replace(commits.get(2), second);
        requireUnproven("it says it is commit 3");
    }

    @Test
    void showsACommitThatWasDropped() throws IOException {
        Files.delete(stored("log/").get(1));
        requireUnproven(": commit 2 unproven: missing");
    }

    @Test
    void showsAReplayedCommit() throws IOException {
        List<Path> commits = stored("log/");
        Path next = commits.getLast().resolveSibling("%016d.zst".formatted(commits.size() + 1));
        Files.copy(commits.get(1), next);
        requireUnproven("it says it is commit 2");
    }

    @Test
    void showsWhatSomebodyElseCommitted() throws IOException {
        Path state = Path.of(state("web1"));
        Files.move(state, folder.resolve("kept"));
        append("small", 1);
        ship("web1", "--sign", "--take-over"); // on the same machine, and so as the same host, with another key
        requireUnproven("which the trust file does not name for this host");
        append("small", 1);
        ship("web1", "--take-over");
        requireUnproven("unproven: not signed");
    }

    @Test
    void showsAChangedDataArea() throws IOException {
        for (Path commit : stored("log/")) {
            byte[] bytes = Files.readAllBytes(commit);
            bytes[bytes.length - 20] ^= 1; // in the seek table, or in a frame
            replace(commit, bytes);
        }
        CommandRun verify = verify();
        assertThat(verify.out()).contains(" unproven: ").doesNotContain(" proven: ");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void showsATruncatedLogOnlyByAHead() throws IOException {
        Path heads = heads();
        List<Path> commits = stored("log/");
        Files.delete(commits.getLast());
        forgetHeartbeats();
        assertThat(verify().code()).isZero();
        CommandRun verify = verify("--head", heads.toString());
        assertThat(verify.out())
                .contains(": commit " + commits.size() + " unproven: missing, though a head names commit "
                        + commits.size());
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void showsALogThatWentOnElsewhere() throws IOException {
        Path heads = heads();
        Files.delete(stored("log/").getLast());
        forgetHeartbeats();
        append("small", 1);
        ship("web1", "--sign");
        CommandRun verify = verify("--head", heads.toString());
        assertThat(verify.out()).contains("it is another than a head names");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void showsAHostThatIsGone() throws IOException {
        Path heads = heads();
        try (Stream<Path> all = Files.walk(archive.resolve("hosts"))) {
            for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        ship("web2");
        CommandRun verify = verify("web1:", "--head", heads.toString());
        assertThat(verify.out()).contains("missing, though a head names the host");
    }

    @Test
    void believesNoHeadOfAStranger() throws IOException {
        ship("web2", "--sign");
        Path heads = Files.writeString(
                folder.resolve("heads"),
                CommandRun.of("head", archive.toString(), "web2").out());
        CommandRun verify = verify("web1:", "--head", heads.toString());
        assertThat(verify.out()).contains("signed by nobody whom the trust file names");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void takesNoSignatureOfAnotherHost() throws IOException {
        ship("web2", "--sign");
        String other = CommandRun.of("head", archive.toString(), "web2", "--key", "--state", state("web2"))
                .out()
                .strip();
        String own = Files.readAllLines(trust).getLast();
        Files.writeString(trust, own.split(" ", 2)[0] + " " + other.split(" ", 2)[1] + "\n" + own + "\n");
        List<Path> all = stored("log/");
        List<Path> ofWeb1 = all.stream()
                .filter(each -> each.toString().contains(own.split(" ", 2)[0]))
                .toList();
        Path ofWeb2 =
                all.stream().filter(each -> !ofWeb1.contains(each)).findFirst().orElseThrow();
        Files.copy(ofWeb2, ofWeb1.getFirst(), StandardCopyOption.REPLACE_EXISTING);
        CommandRun verify = verify("web1:");
        assertThat(verify.out()).contains("commit 1 unproven: its signature is not that of its key");
    }

    @Test
    void provesWhatIsEncrypted() throws IOException {
        AgeIdentity owner = AgeIdentity.generate();
        Path key = Files.writeString(folder.resolve("key"), owner.secretText() + "\n");
        append("large", 120_000);
        ship("web1", "--sign", "--encrypt-to", owner.recipient().toString());
        assertThat(verify("--identity", key.toString()).code()).isZero();
        CommandRun stranger = verify();
        assertThat(stranger.out()).contains("its objects cannot be told without a key");
        assertThat(stranger.code()).isEqualTo(ExitCode.FAILED);
        Path object = stored("streams/").getLast();
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length - 1] ^= 1;
        replace(object, bytes);
        assertThat(verify("--identity", key.toString()).out()).contains(" is not what was signed");
    }

    @Test
    void provesWhatFollowsACompaction() throws IOException {
        int compacted = stored("log/").size();
        assertThat(CommandRun.of("compact", archive.toString(), "--grace", "0").code())
                .isZero();
        append("small", 2);
        ship("web1", "--sign");
        CommandRun verify = verify();
        assertThat(verify.out())
                .contains(": commits 1 to " + compacted + " unproven: compacted")
                .contains(": commits " + (compacted + 1) + " to ")
                .contains(" proven: signed by ");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void isSalvagedAndRepairedWhenItIsEncryptedToo() throws IOException {
        AgeIdentity owner = AgeIdentity.generate();
        String key = Files.writeString(folder.resolve("key"), owner.secretText() + "\n")
                .toString();
        String[] keys = {"--sign", "--encrypt-to", owner.recipient().toString()};
        ship("web2", keys);
        append("small", 1);
        ship("web2", keys);
        Path commit = ofHost("web2").get(3); // of the second run
        byte[] bytes = Files.readAllBytes(commit);
        bytes[60] ^= 1;
        replace(commit, bytes);
        String file = "web2:" + tree.resolve("large.log");
        CommandRun cat = CommandRun.of("cat", archive.toString(), file, "--salvage", "--identity", key);
        assertThat(cat.out().equals(Files.readString(tree.resolve("large.log"))))
                .as(cat.err())
                .isTrue();
        CommandRun repair = CommandRun.of("repair", archive.toString(), "--apply", "--identity", key);
        assertThat(repair.code()).as(repair.err() + repair.out()).isZero();
        CommandRun again = CommandRun.of("cat", archive.toString(), file, "--identity", key);
        assertThat(again.out().equals(Files.readString(tree.resolve("large.log"))))
                .as(again.err())
                .isTrue();
        append("small", 1);
        ship("web2", keys);
    }

    private List<Path> ofHost(String name) throws IOException {
        String line = CommandRun.of("head", archive.toString(), name, "--key", "--state", state(name))
                .out();
        String id = line.split(" ", 2)[0];
        return stored("log/").stream()
                .filter(each -> each.toString().contains(id))
                .toList();
    }

    @Test
    void refusesHeadsWithoutTrust() throws IOException {
        CommandRun verify = CommandRun.of("verify", archive.toString(), "--head", heads().toString());
        assertThat(verify.code()).isEqualTo(ExitCode.USAGE);
        CommandRun unsigned = CommandRun.of("head", archive.toString(), "nobody");
        assertThat(unsigned.code()).isEqualTo(ExitCode.FAILED);
    }
}
