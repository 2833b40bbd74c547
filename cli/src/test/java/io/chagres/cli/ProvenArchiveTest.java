package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An archive that was compacted with signatures, after what somebody can do who writes the whole store but has no key:
 * no command with {@code --trust} gives or approves a byte that is not what was shipped.
 */
@Tag("long")
final class ProvenArchiveTest extends SignedArchive {
    private Path compactKey;
    private String id;
    private int shown;

    /** Two commits are compacted, a third is not; nothing but the checkpoint has the bytes of the first two. */
    @BeforeEach
    void shipAndCompact() throws IOException {
        compactKey = folder.resolve("compact-key");
        for (int i = 0; i < 2; i++) {
            grow();
            shipSilently("web1", "--sign");
        }
        id = trustHost("web1");
        CommandRun compact = compactSigned();
        assertThat(compact.code()).as(compact.err()).isZero();
        assertThat(compact.err()).contains("trust files need this line: compact * ed25519:");
        CommandRun line = CommandRun.of("head", archive.toString(), "--key", "--sign", compactKey.toString());
        Files.writeString(trust, line.out(), StandardOpenOption.APPEND);
        grow();
        shipSilently("web1", "--sign");
    }

    private String trustHost(String host) throws IOException {
        CommandRun key = CommandRun.of("head", archive.toString(), host, "--key", "--state", state(host));
        assertThat(key.code()).as(key.err()).isZero();
        Files.writeString(trust, key.out(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return key.out().split(" ", 2)[0];
    }

    /** Ships without a heartbeat, which would name the last commit. */
    private void shipSilently(String host, String... more) {
        ship(host, Stream.concat(Stream.of("--heartbeat", "0"), Stream.of(more)).toArray(String[]::new));
    }

    private CommandRun compactSigned(String... more) {
        return run(
                "compact",
                Stream.concat(
                                Stream.of("--trust", trust.toString(), "--sign", compactKey.toString(), "--grace", "0"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    private CommandRun cat(String which, String... more) {
        return run(
                "cat",
                Stream.concat(Stream.of("web1:" + tree.resolve(which), "--trust", trust.toString()), Stream.of(more))
                        .toArray(String[]::new));
    }

    private Path manifest() throws IOException {
        return stored("compacted/" + id).stream()
                .filter(each -> each.toString().endsWith("-manifest"))
                .toList()
                .getLast();
    }

    /** Data objects may be there that nothing refers to now. */
    private void requireShownOrUnused(Path object) throws IOException {
        boolean isGarbage = object.toString().contains("/streams/")
                && verify().code() == ExitCode.DONE
                && cat("large.log").out().equals(Files.readString(tree.resolve("large.log")))
                && cat("small.log").out().equals(Files.readString(tree.resolve("small.log")));
        if (!isGarbage) {
            requireShown();
            shown++;
        }
    }

    /** Neither is any byte given that was not shipped, nor is all of it approved. */
    private void requireShown() throws IOException {
        CommandRun verify = verify();
        assertThat(verify.out()).doesNotContain("signatures prove all of it");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        requireNothingWrong();
    }

    private void requireNothingWrong() throws IOException {
        for (String which : List.of("large.log", "small.log")) {
            CommandRun cat = cat(which);
            String shipped = Files.readString(tree.resolve(which));
            assertThat(cat.out().isEmpty() || cat.out().equals(withoutLost(shipped, cat.err())))
                    .as("only what is named is left out: %s", cat.err())
                    .isTrue();
            assertThat(cat.code() == ExitCode.FAILED || cat.out().equals(shipped))
                    .as("short, and exit code 0")
                    .isTrue();
        }
    }

    /** Returns a text without the ranges that a command named. */
    private static String withoutLost(String text, String said) {
        StringBuilder left = new StringBuilder();
        int end = 0;
        Matcher range = Pattern.compile("bytes (\\d+) to (\\d+) are left out").matcher(said);
        while (range.find()) {
            left.append(text, end, Integer.parseInt(range.group(1)));
            end = Integer.parseInt(range.group(2));
        }
        return left.append(text, end, text.length()).toString();
    }

    @Test
    void isProvenAfterCompaction() throws IOException {
        CommandRun verify = verify();
        assertThat(verify.out())
                .contains(": commits 1 to ")
                .contains(" proven: compacted and signed by ed25519:")
                .contains(" proven: signed by ed25519:")
                .contains("signatures prove all of it");
        assertThat(verify.code()).as(verify.out()).isZero();
        for (String which : List.of("large.log", "small.log")) {
            CommandRun cat = cat(which);
            assertThat(cat.out().equals(Files.readString(tree.resolve(which))))
                    .as(cat.err())
                    .isTrue();
        }
        CommandRun grep = CommandRun.of("grep", "2 line 7919$", archive.toString(), "--trust", trust.toString());
        assertThat(grep.out()).as(grep.err()).contains("large.log").contains("2 line 7919");
        CommandRun tail = run("tail", "web1:**/large.log", "-n", "1", "--trust", trust.toString());
        assertThat(tail.out()).as(tail.err()).endsWith("line " + 119_999 * 7919L % 100_003 + "\n");
        assertThat(run("ls", "web1:", "--trust", trust.toString()).out())
                .isEqualTo(run("ls", "web1:").out());
        Path restored = folder.resolve("restored");
        CommandRun restore = run("restore", restored.toString(), "--trust", trust.toString());
        assertThat(restore.code()).as(restore.err()).isZero();
        assertThat(Files.mismatch(
                        Path.of(restored.resolve("web1").toString() + tree.resolve("large.log")),
                        tree.resolve("large.log")))
                .isEqualTo(-1);
    }

    @Test
    void staysProvenWhenItIsCompactedAgain() throws IOException {
        CommandRun again = compactSigned();
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(stored("hosts/" + id + "/log")).isEmpty();
        assertThat(stored("compacted/" + id).stream()
                        .filter(each -> each.toString().endsWith("-manifest")))
                .hasSize(1);
        CommandRun verify = verify();
        assertThat(verify.out()).contains("signatures prove all of it");
        assertThat(verify.code()).as(verify.out()).isZero();
        assertThat(cat("large.log").out().equals(Files.readString(tree.resolve("large.log"))))
                .isTrue();
        CommandRun head = run("head", "web1");
        assertThat(head.out()).startsWith("chagres 1 checkpoint " + id);
        Path heads = Files.writeString(folder.resolve("heads"), head.out());
        assertThat(verify("--head", heads.toString()).code()).isZero();
    }

    @Test
    void showsMomentsThatWereCompacted() throws IOException {
        long shippedMs = Files.getLastModifiedTime(
                        stored("hosts/" + id + "/log").getLast())
                .toMillis();
        Files.delete(tree.resolve("small.log"));
        shipSilently("web1", "--sign");
        assertThat(compactSigned().code()).isZero();
        String at = java.time.Instant.ofEpochMilli(shippedMs).toString();
        CommandRun cat = cat("small.log", "--at", at);
        assertThat(cat.out()).as(cat.err()).contains("1 line 0").contains("5 line 0");
        assertThat(verify().code()).isZero();
    }

    @Test
    void signsOnlyWhatIsProven() throws IOException {
        shipSilently("web2");
        trustHostless();
        CommandRun compact = compactSigned();
        assertThat(compact.code()).isEqualTo(ExitCode.FAILED);
        assertThat(compact.err()).contains("web2").contains("it is not proven: not signed");
        assertThat(CommandRun.of("compact", archive.toString(), "--sign", compactKey.toString())
                        .code())
                .isEqualTo(ExitCode.USAGE);
    }

    private void trustHostless() throws IOException {
        Files.writeString(trust, "# nothing of web2\n", StandardOpenOption.APPEND);
    }

    @Test
    void showsACompactionThatNobodySigned() throws IOException {
        assertThat(run("compact", "--grace", "0").code()).isZero();
        requireShown();
        assertThat(cat("large.log").err()).contains("no manifest that a trusted key signed");
        assertThat(cat("large.log").code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void believesNoKeyOfAnotherRole() throws IOException {
        String own = Files.readString(trust);
        Files.writeString(trust, own.replaceAll("compact \\* (\\S+)", id + " $1"));
        requireShown();
        assertThat(cat("large.log").err()).contains("which the trust file does not name for compaction");
        Files.writeString(trust, own.replaceAll("(?m)^" + id + " ", "compact * "));
        requireShown();
        assertThat(cat("large.log").err()).contains("which the trust file does not name for this host");
    }

    @Test
    void showsEveryObjectThatWasReplaced() throws IOException {
        for (String folder : List.of("checkpoints", "history", "filters", "streams", "log")) {
            for (Path object : stored("hosts/" + id + "/" + folder)) {
                byte[] bytes = Files.readAllBytes(object);
                byte[] changed = bytes.clone();
                changed[changed.length / 2] ^= 1;
                replace(object, changed);
                requireShownOrUnused(object);
                replace(object, bytes);
            }
        }
        assertThat(verify().code()).isZero();
        assertThat(shown).isGreaterThan(8);
    }

    @Test
    void showsEveryObjectThatIsGone() throws IOException {
        for (String folder : List.of("checkpoints", "history", "streams")) {
            for (Path object : stored("hosts/" + id + "/" + folder)) {
                byte[] bytes = Files.readAllBytes(object);
                Files.delete(object);
                requireShownOrUnused(object);
                replace(object, bytes);
            }
        }
    }

    @Test
    void showsObjectsOfOneHostUnderAnother() throws IOException {
        Files.writeString(tree.resolve("small.log"), "of web2\n");
        shipSilently("web2", "--sign");
        String other = trustHost("web2");
        assertThat(compactSigned().code()).isZero();
        assertThat(verify().code()).isZero();
        for (String folder : List.of("checkpoints", "streams/0000000000000000")) {
            Path own = stored("hosts/" + id + "/" + folder).getFirst();
            byte[] bytes = Files.readAllBytes(own);
            replace(
                    own,
                    Files.readAllBytes(stored("hosts/" + other + "/" + folder).getFirst()));
            assertThat(verify().code()).isEqualTo(ExitCode.FAILED);
            assertThat(cat("small.log").out()).doesNotContain("web2");
            replace(own, bytes);
        }
        replace(
                manifest(),
                Files.readAllBytes(stored("compacted/" + other).stream()
                        .filter(each -> each.toString().endsWith("-manifest"))
                        .toList()
                        .getLast()));
        assertThat(verify().code()).isEqualTo(ExitCode.FAILED);
        assertThat(cat("small.log").out()).doesNotContain("web2");
    }

    @Test
    void showsAManifestOfAnotherCheckpoint() throws IOException {
        byte[] before = Files.readAllBytes(manifest());
        assertThat(compactSigned().code()).isZero();
        replace(manifest(), before);
        requireShown();
    }

    /** Everything as it was before the second compaction: only a head shows that there was more. */
    @Test
    void showsByAHeadThatOlderObjectsArePutBack() throws IOException {
        Path kept = folder.resolve("kept");
        copy(archive, kept);
        assertThat(compactSigned().code()).isZero();
        Path heads =
                Files.writeString(folder.resolve("heads"), run("head", "web1").out());
        delete(archive);
        Files.move(kept, archive);
        for (Path commit : stored("hosts/" + id + "/log")) {
            Files.delete(commit);
        }
        CommandRun verify = verify("--head", heads.toString());
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.out()).contains("missing, though a head names the checkpoint of commit ");
        CommandRun cat = cat("large.log", "--head", heads.toString());
        assertThat(cat.out()).isEmpty();
        assertThat(cat.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void showsEveryChangeOfAManifest() throws IOException {
        Path manifest = manifest();
        byte[] bytes = Files.readAllBytes(manifest);
        for (int at = 0; at < bytes.length; at += Math.max(1, bytes.length / 40)) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            replace(manifest, changed);
            requireNothingApproved("byte " + at);
        }
        replace(manifest, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        requireNothingApproved("cut off");
        Files.delete(manifest);
        requireShown();
        Files.write(manifest, bytes);
        assertThat(verify().code()).isZero();
    }

    private void requireNothingApproved(String what) throws IOException {
        CommandRun cat = cat("small.log");
        assertThat(cat.code()).as(what).isEqualTo(ExitCode.FAILED);
        assertThat(cat.out()).isEmpty();
    }

    /** A table, and a checkpoint without a mark, are what a shipper may put. */
    @Test
    void believesNothingThatAThiefOfAShipperPuts() throws IOException {
        Path checkpoint = stored("hosts/" + id + "/checkpoints").getFirst();
        Files.copy(checkpoint, checkpoint.resolveSibling("0000000000000099.zst"));
        Path tables = Files.createDirectories(archive.resolve("hosts/" + id + "/tables/"
                + checkpoint.getFileName().toString().replace(".zst", "") + "-0000000000000000/names"));
        Files.copy(checkpoint, tables.resolve("9999999999999900-0000000000000003.zst"));
        CommandRun verify = verify();
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.out()).contains(" objects unproven: no signature covers ");
        CommandRun cat = cat("large.log");
        assertThat(cat.out().equals(Files.readString(tree.resolve("large.log"))))
                .as(cat.err())
                .isTrue();
    }

    @Test
    void givesNoHostUnderTheNameOfAnother() throws IOException {
        Files.writeString(tree.resolve("small.log"), "of web2\n");
        shipSilently("web2", "--sign");
        String other = trustHost("web2");
        for (Path each : stored("names/web")) {
            String name = each.getFileName().toString();
            Files.move(
                    each,
                    each.resolveSibling(
                            name.startsWith("web1") ? name.replace("web1", "later") : name.replace("web2", "web1")));
        }
        Path later = stored("names/later").getFirst();
        Files.move(later, later.resolveSibling(later.getFileName().toString().replace("later", "web2")));
        Path own = archive.resolve("hosts/" + id + "/host");
        byte[] record = Files.readAllBytes(own);
        Path others = archive.resolve("hosts/" + other + "/host");
        replace(own, Files.readAllBytes(others));
        replace(others, record);
        assertThat(run("cat", "web1:" + tree.resolve("small.log")).out()).contains("of web2");
        CommandRun cat = cat("small.log");
        assertThat(cat.out()).isEmpty();
        assertThat(cat.err()).contains("which calls itself web2");
        assertThat(cat.code()).isEqualTo(ExitCode.FAILED);
        Path restored = folder.resolve("restored");
        assertThat(run("restore", restored.toString(), "--trust", trust.toString())
                        .code())
                .isEqualTo(ExitCode.FAILED);
        assertThat(restored.resolve("web1")).doesNotExist();
    }

    @Test
    void givesByWishWhatIsProvenBeforeTheRest() throws IOException {
        String before = Files.readString(tree.resolve("large.log"));
        grow();
        shipSilently("web1");
        CommandRun cat = cat("large.log");
        assertThat(cat.out()).isEmpty();
        assertThat(cat.err()).contains("it is not proven: not signed");
        CommandRun salvaged = cat("large.log", "--salvage");
        assertThat(salvaged.out().equals(before)).as(salvaged.err()).isTrue();
        assertThat(salvaged.err()).contains("it is not proven: not signed");
        assertThat(salvaged.code()).isEqualTo(ExitCode.FAILED);
        CommandRun compact = compactSigned();
        assertThat(compact.err()).contains("it is not proven: not signed");
        assertThat(compact.code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void provesWhatIsEncrypted() throws IOException {
        AgeIdentity owner = AgeIdentity.generate();
        String key = Files.writeString(folder.resolve("key"), owner.secretText() + "\n")
                .toString();
        shipSilently("web2", "--sign", "--encrypt-to", owner.recipient().toString());
        trustHost("web2");
        CommandRun compact = compactSigned("--identity", key);
        assertThat(compact.code()).as(compact.err()).isZero();
        CommandRun verify = verify("--identity", key);
        assertThat(verify.out()).contains("signatures prove all of it");
        assertThat(verify.code()).as(verify.out()).isZero();
        CommandRun cat =
                run("cat", "web2:" + tree.resolve("large.log"), "--trust", trust.toString(), "--identity", key);
        assertThat(cat.out().equals(Files.readString(tree.resolve("large.log"))))
                .as(cat.err())
                .isTrue();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
