package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class LineCountTest {
    @TempDir
    Path directory;

    private final LineWriter writer = new LineWriter("s");

    @Test
    void wholeFilesAreExact() {
        writer.open(directory.resolve("a")).lines(300).batch(40);
        writer.open(directory.resolve("b")).firstHalf().secondHalf().close();

        LineCount.Result result = count().tree(directory).result();

        assertThat(result).isEqualTo(new LineCount.Result(0, 0, 0, result.examples()));
        assertThat(result.exact()).isTrue();
    }

    @Test
    void aMissingFileIsLostLines() throws IOException {
        writer.open(directory.resolve("a")).lines(10);
        writer.open(directory.resolve("b")).lines(3).close();
        Files.delete(directory.resolve("b"));

        LineCount.Result result = count().tree(directory).result();

        assertThat(result.lost()).isEqualTo(3);
        assertThat(result.examples()).contains("lost s 10 in every file");
    }

    @Test
    void aCopyIsDoubledUnlessItIsSuperseded() throws IOException {
        Path a = directory.resolve("a");
        writer.open(a).lines(10).close();
        Path copy = Files.copy(a, directory.resolve("copy"));

        assertThat(count().current(a).current(copy).result().doubled()).isEqualTo(10);
        assertThat(count().current(a).superseded(copy).result().exact()).isTrue();
        assertThat(count().superseded(copy).result().exact()).isTrue();
    }

    @Test
    void aHardLinkIsNoCopy() throws IOException {
        Path a = directory.resolve("a");
        writer.open(a).lines(10).close();
        Files.createLink(directory.resolve("link"), a);

        assertThat(count().tree(directory).result().exact()).isTrue();
    }

    @Test
    void halfLinesAreTornAndLost() {
        Path a = directory.resolve("a");
        writer.open(a)
                .lines(2)
                .firstHalf()
                .bytes("\n".getBytes())
                .secondHalf()
                .firstHalf()
                .close();

        LineCount.Result result = count().current(a).result();

        assertThat(result.torn()).isEqualTo(3);
        assertThat(result.lost()).isEqualTo(1);
    }

    @Test
    void compressedFilesCountByTheirContent() throws IOException {
        Path a = directory.resolve("a");
        writer.open(a).lines(10).close();
        try (OutputStream packed = new GZIPOutputStream(Files.newOutputStream(directory.resolve("a.gz")))) {
            Files.copy(a, packed);
        }
        Files.delete(a);

        assertThat(count().tree(directory).result().exact()).isTrue();
    }

    @Test
    void truncationLeavesWhatCameAfter() {
        Path a = directory.resolve("a");
        writer.open(a).lines(10).truncate(0).lines(5).close();

        assertThat(count().current(a).result().lost()).isEqualTo(10);
    }

    private LineCount count() {
        return new LineCount().expect(writer);
    }
}
