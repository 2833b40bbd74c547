package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns that leave out and take in, as people write them who know rsync, git and restic. */
@Tag("long")
final class PatternsTest {
    @TempDir
    Path temp;

    private ShippedTree tree;

    @BeforeEach
    void open() throws IOException {
        tree = new ShippedTree(temp);
        for (String each : List.of("private/p.log", "keep/k.log", "keep/private/deep/q.log", "top.log")) {
            Files.createDirectories(tree.file(each).getParent());
            append(tree.file(each), each.getBytes(StandardCharsets.UTF_8));
        }
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private Source source(List<String> includes, List<String> excludes) {
        return new Source(List.of(tree.tree.toString()), includes, excludes, 1, Codec.ZSTD);
    }

    private boolean has(String name) throws IOException {
        return tree.archived(name) != null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"private/", "private", "./private/", "private//", "**/private/", " private/ ", "priv*/"})
    void leavesOutADirectoryAtAnyDepth(String pattern) throws IOException {
        tree.sources = List.of(source(List.of(), List.of(pattern)));
        tree.settle();
        assertThat(has("private/p.log")).isFalse();
        assertThat(has("keep/private/deep/q.log")).isFalse();
        assertThat(has("keep/k.log")).isTrue();
        assertThat(has("top.log")).isTrue();
        assertThat(tree.problems).isEmpty();
    }

    @Test
    void leavesOutADirectoryByItsPathOrFromTheRootOn() throws IOException {
        for (String pattern : List.of("/private/", "/private", tree.file("private") + "/", "//private")) {
            tree.end();
            tree.sources = List.of(source(List.of(), List.of(pattern)));
            tree.settle();
            assertThat(has("private/p.log")).as(pattern).isFalse();
            assertThat(has("keep/private/deep/q.log")).as(pattern).isTrue();
        }
    }

    @Test
    void aSlashMeansDirectoriesAlone() throws IOException {
        tree.sources = List.of(source(List.of(), List.of("top.log/")));
        tree.settle();
        assertThat(has("top.log")).isTrue();
        assertThat(tree.problems).hasSize(1);
        assertThat(tree.problems.getFirst()).contains("--exclude 'top.log/' matches no name");
    }

    @Test
    void takesInWhatIsBelowADirectory() throws IOException {
        tree.sources = List.of(source(List.of("keep/"), List.of()));
        tree.settle();
        assertThat(has("keep/k.log")).isTrue();
        assertThat(has("keep/private/deep/q.log")).isTrue();
        assertThat(has("top.log")).isFalse();
    }

    @Test
    void saysOnceWhichPatternsMatchNothing() throws IOException {
        tree.sources = List.of(source(List.of("*.log", "*.txt"), List.of("secret/", "private/")));
        tree.settle().settle();
        assertThat(tree.problems).hasSize(2);
        assertThat(tree.problems.get(0)).contains("--include '*.txt'");
        assertThat(tree.problems.get(1)).contains("--exclude 'secret/'");
    }

    /** A mistyped glob is named, as a path that does not exist is; a name may hold such characters. */
    @Test
    void saysOnceWhichGlobsOfSourcesMatchNothing() throws IOException {
        append(tree.file("[x].log"), new byte[] {1});
        List<String> paths = List.of(
                tree.file("*.lgo").toString(),
                tree.file("*.log").toString(),
                tree.file("ke*").toString(),
                tree.file("[x].log").toString());
        tree.sources = List.of(new Source(paths, List.of(), List.of(), 1, Codec.ZSTD));
        tree.settle().settle();
        assertThat(has("top.log")).isTrue();
        assertThat(has("[x].log")).isTrue();
        assertThat(has("keep/k.log")).isTrue();
        assertThat(tree.problems).hasSize(1);
        assertThat(tree.problems.getFirst()).contains("*.lgo' matches no name that is there now; ");
        assertThat(tree.shipper().foundAll()).isFalse();
        tree.end();
        tree.sources = List.of(tree.source("*.log"));
        assertThat(tree.settle().shipper().foundAll()).isTrue();
    }

    /** Each of two sources leaves out for itself, with all below. */
    @Test
    void ofTwoSourcesOneLeavesOut() throws IOException {
        Source all = source(List.of(), List.of("private/"));
        Source texts = new Source(List.of(tree.tree.toString()), List.of("*.txt"), List.of(), 1, Codec.ZSTD);
        append(tree.file("private/x.txt"), new byte[] {1});
        tree.sources = List.of(all, texts);
        tree.settle();
        assertThat(has("private/p.log")).isFalse();
        assertThat(has("private/x.txt")).isTrue();
        assertThat(has("keep/k.log")).isTrue();
    }
}
