package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code chagres status} without an archive finds what ships on this machine, wherever its state lies. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class StatusHereTest {
    private static String line(Program status, ShipProcess ship) {
        String out = new String(status.out());
        return out.lines()
                .filter(line -> line.contains("\"pid\":" + ship.pid() + ","))
                .findFirst()
                .orElseThrow(() -> new AssertionError("pid " + ship.pid() + ": " + out + status.err()));
    }

    private static Program status(String... options) {
        List<String> command = new ArrayList<>(List.of("status", "--json"));
        command.addAll(List.of(options));
        return Chagres.run(command);
    }

    @Test
    void findsAShipAndSaysWhenItHangs(FaultBench bench) throws IOException {
        Files.writeString(bench.file("app.log"), "words\n");
        ShipProcess ship = bench.shipping().paths(bench.tree()).start().awaitSettled();

        // it says so once a second
        Await.until("its word says that nothing is at risk", () -> line(status(), ship)
                .contains("\"riskBytes\":0,"));
        assertThat(line(status(), ship))
                .contains("\"host\":\"web1\"", "\"archive\":\"" + bench.store() + "\"", "\"state\":\"live\"")
                .contains("\"trouble\":null", "\"lostBytes\":0");

        ship.signal("STOP");
        Program late = status("--late", "1ms");
        assertThat(line(late, ship)).contains("\"state\":\"late\"");
        assertThat(late.exitCode()).isEqualTo(1);
        ship.signal("CONT");
        assertThat(ship.terminate()).isZero();
    }
}
