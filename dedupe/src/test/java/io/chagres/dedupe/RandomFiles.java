package io.chagres.dedupe;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Files that have much in common. */
final class RandomFiles {
    private RandomFiles() {}

    /** Makes files of pieces that others have too, some of them changed a little, grown, cut, linked or with holes. */
    static void make(Path top, RandomGenerator random) throws IOException {
        int pieceBytes = 8192;
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            byte[] content;
            if (contents.isEmpty() || random.nextInt(3) == 0) {
                content = new byte[random.nextInt(1, 40) * pieceBytes + random.nextInt(2) * random.nextInt(5000)];
                for (int at = 0; at < content.length; at += pieceBytes) {
                    int piece = random.nextInt(12);
                    byte[] from = piece == 0 ? new byte[pieceBytes] : DedupeContract.random(piece, pieceBytes);
                    System.arraycopy(from, 0, content, at, Math.min(pieceBytes, content.length - at));
                }
            } else {
                content = contents.get(random.nextInt(contents.size())).clone();
                if (random.nextBoolean()) {
                    content[random.nextInt(content.length)]++;
                }
                if (random.nextInt(4) == 0) {
                    content = Arrays.copyOf(content, content.length + random.nextInt(-content.length / 2, 20_000));
                }
            }
            contents.add(content);
            Path path = Files.write(top.resolve("f" + i), content);
            if (random.nextInt(6) == 0) {
                Files.createLink(top.resolve("l" + i), path);
            }
            if (random.nextInt(6) == 0) {
                Program.ok(
                        "cp",
                        "--reflink=always",
                        path.toString(),
                        top.resolve("r" + i).toString());
            }
        }
    }
}
