package io.chagres.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.read.FleetStatus;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.CommandContext;
import io.chagres.testkit.Repository;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A state has one word, wherever a person or a program meets it. */
class StateWordsTest {
    private static Row row(FleetStatus.State state) {
        return new Row("web1", new Row.Fleet("id"), state, 1000, null, "no heartbeat", null, 0);
    }

    @ParameterizedTest
    @EnumSource
    void theTableTheMetricsThePageAndTheDocumentsSayTheSame(FleetStatus.State state) throws IOException {
        String word = state.word();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CommandContext context = CommandContext.of(out, out, List.of());
        StatusTable table = new StatusTable(context, true);
        table.add(row(state));
        table.text(2000);
        table.json();
        context.out().flush();
        String look = state.isAlarming() ? "look at 1 ship" : "nothing to look at";
        String said = out.toString(StandardCharsets.UTF_8);
        assertThat(said).contains("1 " + word + ": " + look + "\n").contains("{\"summary\":{", "\"" + word + "\":1");
        assertThat(said.contains("web1  " + word + " ")).isEqualTo(state.isAlarming());
        FleetBoard board = new FleetBoard("/mnt/archive", Clock.systemUTC(), 60_000, 10);
        board.looked(List.of(row(state)));
        assertThat(Objects.requireNonNull(board.metrics()).text(false))
                .contains("chagres_fleet_hosts{state=\"" + word + "\"} 1\n")
                .contains("chagres_host_alarming{host=\"web1\",id=\"id\",state=\"" + word + "\"");
        assertThat(board.json()).contains("\"state\":\"" + word + "\"", "\"sum\":\"1 " + word + ": " + look);
        assertThat(CommandRun.of("status", "--help").out().replaceAll("\\s+", " "))
                .containsPattern("[ ;]" + word + "[:; ]");
        String page = Files.readString(Repository.root().resolve("docs/do/fleet.md"));
        assertThat(page)
                .containsPattern("\n\\| " + word + " \\| [^|]* \\| " + (state.isAlarming() ? "yes" : "no") + " \\|");
    }
}
