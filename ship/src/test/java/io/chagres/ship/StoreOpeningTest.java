package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class StoreOpeningTest {
    private final AtomicLong nowMs = new AtomicLong();
    private final List<String> told = new ArrayList<>();
    private final StoreOpening opening = new StoreOpening(nowMs::get, new Told());
    private int tries;

    private String refuseUntil(int accepted, boolean isLasting) throws IOException {
        if (++tries < accepted) {
            throw new StoreException("closed", new IOException("no"), isLasting);
        }
        return "open";
    }

    @Test
    void asksAgainWhileTheStoreRefuses() throws IOException {
        assertThat(opening.open(() -> refuseUntil(3, false))).isEqualTo("open");
        assertThat(told).containsExactly("refused closed true", "waits", "refused closed false", "waits", "accepted");
    }

    @Test
    void aRefusalThatLastsIsThrown() {
        assertThatThrownBy(() -> opening.open(() -> refuseUntil(2, true))).isInstanceOf(StoreException.class);
        assertThat(tries).isEqualTo(1);
        assertThat(told).isEmpty();
    }

    /** An archive that somebody moves away under a ship that runs comes back. */
    @Test
    void aRefusalThatLastsIsWaitedForOnceTheStoreHasWorked() throws IOException {
        opening.proven();
        assertThat(opening.open(() -> refuseUntil(2, true))).isEqualTo("open");
        assertThat(told).containsExactly("refused closed true", "waits", "accepted");
    }

    @Test
    void triesOnceAfterAStopWithoutTime() {
        opening.stop(0);
        opening.stop(1_000_000);
        assertThatThrownBy(() -> opening.open(() -> refuseUntil(2, false)))
                .isInstanceOfSatisfying(
                        StoreOpening.TimeoutException.class,
                        e -> assertThat(e.status().storeTrouble()).isEqualTo("refuses since 0 s: closed"));
        assertThat(told).containsExactly("refused closed true");
    }

    /** Lets the time pass that would be waited for. */
    private final class Told implements StoreOpening.Listener {
        @Override
        public long intervalMs() {
            return 1;
        }

        @Override
        public void refused(String why, boolean isNew) {
            told.add("refused " + why + " " + isNew);
        }

        @Override
        public void waits(ShipStatus status, long elapsedMs) {
            told.add("waits");
            nowMs.addAndGet(60_000);
        }

        @Override
        public void stops() {
            told.add("stops");
        }

        @Override
        public void accepted() {
            told.add("accepted");
        }
    }
}
