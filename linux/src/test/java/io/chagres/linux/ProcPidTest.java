package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcPidTest {
    private static final long OWN = ProcessHandle.current().pid();

    @Test
    void countsWhatComesFromStorage() throws IOException {
        long told = Files.readAllLines(Path.of("/proc/self/io")).stream()
                .filter(line -> line.startsWith("read_bytes:"))
                .mapToLong(line -> Long.parseLong(line.substring(12).strip()))
                .findFirst()
                .orElseThrow();
        assertThat(ProcPid.storageReadBytes(OWN)).isGreaterThanOrEqualTo(told);
    }

    @Test
    void tellsNothingOfWhatIsNotThere() {
        assertThat(ProcPid.storageReadBytes(Integer.MAX_VALUE)).isEqualTo(-1);
    }
}
