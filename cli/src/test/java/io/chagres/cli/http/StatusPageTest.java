package io.chagres.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.command.WorkerThreads;
import io.chagres.ship.FileRisk;
import io.chagres.ship.Looks;
import io.chagres.ship.Lost;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.metrics.Metrics;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a browser shows it. */
@Tag("it")
class StatusPageTest {
    private static final String HOSTILE = "/var/log/<img src=x onerror=document.title=1>.log";

    @TempDir
    private Path profile;

    private final StatusBoard board = new StatusBoard(
            new StatusBoard.About("1.2", "web1", "/archive", "/var/log"),
            InstantSource.system(),
            (json, status) -> json.member("riskBytes", status.riskBytes())
                    .member("riskMs", status.riskMs())
                    .member("shippedBytes", status.shippedBytes())
                    .knownMember("unverifiedBytes", status.unverifiedBytes())
                    .member("missingFiles", status.missingFiles())
                    .member("files", status.files())
                    .member("commits", status.commits())
                    .member("errors", status.errors())
                    .member("storeTrouble", status.storeTrouble()));

    @Test
    void showsRiskFilesAndTroubles() throws IOException {
        board.opened(Metrics::new, () -> List.of(new FileRisk(HOSTILE, 1536, 2500, 4096)), any -> true, () -> 0);
        board.status(new ShipStatus(
                3,
                2048,
                1536,
                2500,
                0,
                0,
                0,
                0,
                0,
                0,
                7,
                2,
                false,
                "refuses since 9 s: full",
                0,
                Looks.NONE,
                Lost.NOTHING,
                0,
                0));
        board.message("/x cannot be read");
        assertThat(shown())
                .contains("chagres ship: web1", "<title>\u25cf web1 - chagres ship</title>")
                .contains("1.5 KiB", "2.5 s", "7 commits, 2 retries", "/x cannot be read")
                .contains("The store refuses since 9 s: full. Nothing is lost while the local files stay.")
                .contains("&lt;img src=x onerror=document.title=1&gt;")
                .contains("<polyline");
    }

    @Test
    void saysNothingThatIsNotKnownYet() throws IOException {
        board.status(new ShipStatus(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, "", 0, Looks.NONE, Lost.NOTHING, 0, 0));
        assertThat(shown())
                .contains("Not ready: the store has not answered yet", "no answer yet")
                .doesNotContain(">accepts<");
    }

    @Test
    void neverSaysThatNoFileIsAtRiskBesideBytesAtRisk() throws IOException {
        board.opened(Metrics::new, List::of, any -> true, () -> 0); // which files it is was not asked before
        board.status(new ShipStatus(
                1, 9, 1536, 2500, 0, 0, 0, 0, 0, 0, 1, 1, false, null, 0, Looks.NONE, Lost.NOTHING, 0, 0));
        assertThat(shown())
                .contains("Which files it is follows in a moment.", "1 commit, 1 retry", "accepts")
                .doesNotContain("No file has bytes at risk.</td>");
    }

    @Test
    void saysWhatIsUnknownOrMissing() throws IOException {
        board.opened(Metrics::new, List::of, any -> true, () -> 0);
        board.status(
                new ShipStatus(1, 9, 0, 0, 0, -1, 0, 0, 0, 0, 1, 1, false, null, 4, Looks.NONE, Lost.NOTHING, 0, 0));
        assertThat(shown()).contains("unverified: unknown", "4 missing since no ship ran");
    }

    /** Returns the document as the browser has made it. */
    private String shown() throws IOException {
        Requires.tool("chromium");
        try (WorkerThreads threads = new WorkerThreads("test-http-", 2);
                StatusServer server = StatusServer.open("127.0.0.1:0", null, board, threads)) {
            byte[] dom = Program.run(List.of(
                            "chromium",
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--user-data-dir=" + profile,
                            "--virtual-time-budget=3000",
                            "--dump-dom",
                            server.address()))
                    .out();
            return new String(dom, StandardCharsets.UTF_8);
        }
    }
}
