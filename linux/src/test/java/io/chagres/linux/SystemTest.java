package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SystemTest {
    @Test
    void limitsAreThoseOfThisProcess() throws IOException {
        long raised = ResourceLimit.raiseOpenFiles();
        assertThat(raised).isEqualTo(ResourceLimit.openFilesSoft()).isEqualTo(ResourceLimit.openFilesHard());
        String limits = Files.readString(Path.of("/proc/self/limits"));
        assertThat(limits).containsPattern("Max open files\\s+" + raised + "\\s+" + raised);
    }

    @Test
    void theMachineIsDescribed() throws IOException {
        Machine machine = Machine.current();
        assertThat(machine).isEqualTo(Machine.current());
        assertThat(machine.bootId()).hasSize(36);
        assertThat(machine.hostName())
                .isEqualTo(
                        Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
        assertThat(machine.kernel()).isEqualTo(System.getProperty("os.version"));
        assertThat(Machine.read("/no/such/file")).isEmpty();
        assertThat(Machine.read("/proc/sys")).isEmpty();
    }
}
