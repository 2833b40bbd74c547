package io.chagres.archive.age;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in the age format, beside the program {@code age} where it is there. */
final class AgeTest {
    private static final int CHUNK = AgeFile.CHUNK_BYTES;
    private static final int[] SIZES = {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 17};

    @TempDir
    Path folder;

    private final AgeIdentity one = AgeIdentity.generate();
    private final AgeIdentity other = AgeIdentity.generate();

    private static byte[] content(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static List<AgeIdentity> identities(Path file) throws IOException {
        return AgeIdentity.read(file.toString(), Files.readAllLines(file));
    }

    @Test
    void eachRecipientOpensItAndNobodyElse() throws IOException {
        for (int size : SIZES) {
            byte[] file =
                    Age.encrypt(List.of(one.recipient(), other.recipient()), MemorySegment.ofArray(content(size)));
            assertThat(Age.decrypt(List.of(one), file)).isEqualTo(content(size));
            assertThat(Age.decrypt(List.of(AgeIdentity.generate(), other), file))
                    .isEqualTo(content(size));
            assertThatThrownBy(() -> Age.decrypt(List.of(AgeIdentity.generate()), file))
                    .isInstanceOfSatisfying(AgeException.class, e -> {
                        assertThat(e.fault()).isEqualTo(AgeException.Fault.NO_MATCH);
                        assertThat(e.recipients()).isEqualTo(2);
                    });
        }
    }

    @Test
    void everyChangedByteIsFound() {
        byte[] file = Age.encrypt(List.of(one.recipient()), MemorySegment.ofArray(content(100)));
        for (int i = 0; i < file.length; i++) {
            byte[] changed = file.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> Age.decrypt(List.of(one), changed))
                    .as("byte %d", i)
                    .isInstanceOf(AgeException.class);
        }
        assertThat(file).hasSize(AgeFile.to(List.of(one.recipient())).startBytes() + 100 + AgeFile.TAG_BYTES);
    }

    @Test
    void oneChunkIsReadAlone() throws IOException {
        byte[] content = content(3 * CHUNK + 17);
        byte[] file = Age.encrypt(List.of(one.recipient()), MemorySegment.ofArray(content));
        AgeFile opened = AgeFile.open(file, 1024, List.of(one));
        assertThat(opened.contentBytes(file.length)).isEqualTo(content.length);
        byte[] chunk = new byte[CHUNK];
        int at = opened.startBytes() + 2 * AgeFile.SEALED_BYTES;
        assertThat(opened.chunks().open(2, false, file, at, AgeFile.SEALED_BYTES, chunk, 0))
                .isEqualTo(CHUNK);
        assertThat(chunk).isEqualTo(java.util.Arrays.copyOfRange(content, 2 * CHUNK, 3 * CHUNK));
        assertThatThrownBy(() -> opened.chunks().open(1, false, file, at, AgeFile.SEALED_BYTES, chunk, 0))
                .isInstanceOf(AgeException.class);
    }

    @Test
    void keysAreReadFromFilesAndNeverRepeated() throws IOException {
        Path keys = Files.writeString(folder.resolve("keys"), "# made today\n\n" + one.secretText() + "\n");
        assertThat(identities(keys).getFirst().recipient()).isEqualTo(one.recipient());
        String text = one.recipient().toString();
        Path recipients = Files.writeString(folder.resolve("recipients"), "# us\n" + text + "\n");
        assertThat(AgeRecipient.read("recipients", Files.readAllLines(recipients)))
                .containsExactly(one.recipient());
        for (String wrong : List.of(
                text.substring(1),
                text.replace('1', '2'),
                text + "q",
                "",
                "age1",
                one.secretText(),
                text.substring(0, 20) + text.substring(20).toUpperCase(java.util.Locale.ROOT))) {
            assertThatThrownBy(() -> AgeRecipient.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        Path broken = Files.writeString(folder.resolve("broken"), one.secretText() + "X\n");
        assertThatThrownBy(() -> identities(broken))
                .hasMessageContaining("broken, line 1")
                .hasMessageNotContaining(one.secretText());
        assertThatThrownBy(() -> identities(Files.writeString(folder.resolve("none"), "\n")))
                .hasMessageContaining("holds no identity");
    }

    @Test
    void agePrograms() throws IOException {
        Requires.tool("age");
        Path keys = folder.resolve("key.txt");
        Program.ok("age-keygen", "-o", keys.toString());
        AgeIdentity theirs = identities(keys).getFirst();
        assertThat(Program.ok("age-keygen", "-y", keys.toString()).strip())
                .isEqualTo(theirs.recipient().toString());
        Path own = Files.writeString(folder.resolve("own.txt"), one.secretText() + "\n");
        for (int size : SIZES) {
            Path plain = Files.write(folder.resolve("plain"), content(size));
            Path ours = Files.write(
                    folder.resolve("ours.age"),
                    Age.encrypt(List.of(other.recipient(), theirs.recipient()), MemorySegment.ofArray(content(size))));
            Program decrypted = Program.run(List.of("age", "-d", "-i", keys.toString(), ours.toString()));
            assertThat(decrypted.err()).isEmpty();
            assertThat(decrypted.out()).isEqualTo(content(size));

            Path encrypted = folder.resolve("theirs.age");
            Program.ok(
                    "age",
                    "-r",
                    theirs.recipient().toString(),
                    "-R",
                    Files.writeString(folder.resolve("r"), one.recipient() + "\n")
                            .toString(),
                    "-o",
                    encrypted.toString(),
                    plain.toString());
            assertThat(Age.decrypt(List.of(one), Files.readAllBytes(encrypted))).isEqualTo(content(size));
            assertThat(Age.decrypt(identities(own), Files.readAllBytes(encrypted)))
                    .isEqualTo(content(size));
            Files.delete(encrypted);
        }
    }
}
