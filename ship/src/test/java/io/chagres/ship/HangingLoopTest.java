package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop waits in a call that does not return: nobody looks at any file. */
class HangingLoopTest {
    @TempDir
    Path temp;

    private final ModelClock clock = new ModelClock();
    private ShippedTree shipped;
    private Shipper running;

    @BeforeEach
    void ship() throws IOException {
        shipped = new ShippedTree(temp);
        shipped.clock = clock;
        append(shipped.file("f"), random(1000, 1));
        running = shipped.shipper();
        settle();
    }

    @AfterEach
    void close() {
        shipped.close();
    }

    private void settle() {
        Await.steps("everything is acknowledged", () -> {
            clock.advance(10);
            return ShippedTree.step(running) == 0 && running.status().riskBytes() == 0;
        });
    }

    @Test
    void theRiskIsUnknownForAsLongAsItHangs() {
        long look = running.status().looks().oldestMs();
        clock.advance(PublishedStatus.HANGS_MS - 1);
        assertThat(running.hangsForMs()).isZero();
        assertThat(running.status().riskBytes()).isZero();
        clock.advance(1_001);
        assertThat(running.hangsForMs()).isEqualTo(PublishedStatus.HANGS_MS + 1_000);
        ShipStatus now = running.status();
        assertThat(now.riskBytes()).isEqualTo(-1);
        assertThat(now.unverifiedBytes()).isEqualTo(-1);
        assertThat(now.riskMs()).isEqualTo(PublishedStatus.HANGS_MS + 1_000);
        assertThat(now.looks().oldestMs()).isGreaterThanOrEqualTo(look + PublishedStatus.HANGS_MS);
        assertThat(now.looks().overdueFiles()).isEqualTo(1);
        assertThat(now.totalBytes()).isEqualTo(1000);
        assertThat(running.metrics().text(false))
                .contains("chagres_at_risk_bytes NaN")
                .contains("chagres_drain_seconds NaN")
                .contains("chagres_at_risk_seconds 11\n");
        settle();
        assertThat(running.hangsForMs()).isZero();
        assertThat(running.metrics().text(false)).contains("chagres_at_risk_bytes 0\n");
    }

    /** A slow disk: a step has many calls. */
    @Test
    void manyCallsAreNoHang() throws IOException {
        for (int i = 0; i < 5; i++) {
            append(shipped.file("slow" + i), random(1000, i));
        }
        List<Long> hangs = new ArrayList<>();
        running.hears = new WatchListener() {
            @Override
            public void appeared(Dentry d) {
                clock.advance(PublishedStatus.HANGS_MS / 2);
                running.parts.dentries.appeared(d);
                hangs.add(running.hangsForMs());
            }

            @Override
            public void problem(Pathname path, String what, int errno) {
                throw new AssertionError(path + " " + what);
            }
        };
        ShippedTree.step(running);
        assertThat(hangs).hasSize(5).containsOnly(0L);
    }

    /** Nobody steps any longer, and nobody should. */
    @Test
    void whatHasFinishedDoesNotHang() throws IOException {
        running.requestDrain();
        Await.steps("it has finished", () -> {
            clock.advance(10);
            ShippedTree.step(running);
            return running.finished();
        });
        clock.advance(10 * PublishedStatus.HANGS_MS);
        assertThat(running.hangsForMs()).isZero();
        assertThat(running.status().riskBytes()).isZero();
    }
}
