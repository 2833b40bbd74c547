package io.chagres.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of virtual threads that share carriers keep their contents. */
@Tag("long")
class VirtualThreadsTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoInterleaveOnOneCarrier(boolean checked) {
        assertThat(carriers(checked, 1, 2, 5_000)).isOne();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tenThousandParkInsideAFrameOnTwoCarriers(boolean checked) {
        assertThat(carriers(checked, 2, 10_000, 6)).isBetween(1, 2);
    }

    /** Runs {@link FrameTurns}, which fails if any content is wrong. */
    private static int carriers(boolean checked, int parallelism, int threads, int turns) {
        String out = Program.ok(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Djdk.virtualThreadScheduler.parallelism=" + parallelism,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + parallelism,
                "-Dio.chagres.foreign.checked=" + checked,
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx512m",
                "-ea",
                "-cp",
                Repository.built("classes") + ":" + Repository.built("test-classes"),
                FrameTurns.class.getName(),
                String.valueOf(threads),
                String.valueOf(turns));
        return Integer.parseInt(out.strip().substring("carriers: ".length()));
    }
}
