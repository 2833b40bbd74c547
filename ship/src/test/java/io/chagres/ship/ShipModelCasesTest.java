package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Short runs in which {@link ShipModelTest} found a fault; nothing in them is drawn but what bytes are written. */
@Tag("long")
class ShipModelCasesTest {
    /** A file system without blocks of its own, where a store through a mapping changes no time. */
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    private Path temp;

    /** A run. Its first line is its settings, and the others are its operations. */
    private record Case(String name, List<String> lines) {
        boolean needsRoot() {
            return lines.getFirst().endsWith(" root");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Case> cases() throws IOException {
        String all = Files.readString(Path.of("src/test/resources/model-cases.txt"));
        return Stream.of(all.split("(?m)^== ")).skip(1).map(text -> {
            List<String> lines = text.lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
            return new Case(lines.getFirst(), lines.subList(1, lines.size()));
        });
    }

    static Stream<Case> casesOfAnyone() throws IOException {
        return cases().filter(each -> !each.needsRoot());
    }

    static Stream<Case> casesOfRoot() throws IOException {
        return cases().filter(Case::needsRoot);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("casesOfAnyone")
    void isRight(Case found) throws IOException {
        ModelRun.Setting setting = ModelRun.Setting.parse(found.lines.getFirst());
        List<ModelOperation> operations =
                found.lines.stream().skip(1).map(ModelOperation::parse).toList();
        Path base = Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "chagres-model") : temp;
        try {
            assertThat(ModelRun.run(base, setting, operations)).isNull();
            assertThat(ModelRun.run(temp.resolve("on disk"), setting, operations))
                    .isNull();
        } finally {
            ModelRun.remove(base);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("casesOfRoot")
    @Tag("it")
    void isRightForRoot(Case found) throws IOException {
        Requires.root();
        isRight(found);
    }
}
