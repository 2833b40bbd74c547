package io.chagres.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.format.Samples;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests heartbeats in a store. */
class HeartbeatTest {
    private static final String ID = "00000000000000aa";
    private static final Heartbeat WORD = new Heartbeat(
            Heartbeat.State.RUNNING,
            1000,
            60_000,
            17,
            2500,
            88,
            3,
            99,
            "1.0",
            "/var/log /srv",
            "the store refuses",
            4200,
            42,
            12);

    private final MemoryStore store = new MemoryStore();

    private String newest() throws IOException {
        return java.util.Objects.requireNonNull(Heartbeat.newest(store, ID)).key();
    }

    @Test
    void saysWhatWasSaid() throws IOException {
        assertThat(Heartbeat.newest(store, ID)).isNull();
        assertThat(WORD.put(store, ID, 1, 1)).isTrue();
        assertThat(Heartbeat.get(store, newest())).isEqualTo(WORD);
        assertThat(new String(store.bytes(newest())))
                .isEqualTo("format=1\nstate=running\ntime=1000\ninterval=60000\nrisk-bytes=17\n"
                        + "risk-ms=2500\nunverified-bytes=88\nfiles=3\n"
                        + "look-ms=4200\nbytes-per-second=99\nversion=1.0\nfollows=/var/log /srv\n"
                        + "trouble=the store refuses\nlost-bytes=42\nseq=12\nkey="
                        + newest() + "\ncrc32c=4667aee9\n");
        assertThat(newest()).isEqualTo("hosts/" + ID + "/alive/9999999999999998-9999999999999999/9999999999999998");
    }

    /** A later incarnation speaks after an earlier one, whatever that one still says. */
    @Test
    void newestIsTheFirst() throws IOException {
        for (long opened : new long[] {1, 9, 10, 123_456}) {
            for (long number : new long[] {1, 2, 99, 100, 101, 1440, 99_999, 100_000}) {
                WORD.put(store, ID, opened, number);
                assertThat(newest()).isEqualTo(ArchiveLayout.heartbeat(ID, opened, number));
            }
        }
        WORD.put(store, ID, 10, 200_000);
        assertThat(newest()).isEqualTo(ArchiveLayout.heartbeat(ID, 123_456, 100_000));
    }

    @Test
    void isPutOnce() throws IOException {
        assertThat(WORD.put(store, ID, 1, 1)).isTrue();
        assertThat(WORD.put(store, ID, 1, 1)).isFalse();
    }

    @Test
    void takesNothingThatIsBeyondItsLimits() throws IOException {
        String long_ = "x".repeat(5000);
        Heartbeat word = new Heartbeat(
                Heartbeat.State.DRAINED, 0, 1, -1, 0, 0, 0, 0, long_, long_, "a\nstate=running\u202e", 0, 0, 0);
        assertThat(word.follows()).hasSize(500).endsWith("\u2026");
        word.put(store, ID, 1, 1);
        Heartbeat read = Heartbeat.get(store, newest());
        assertThat(read.trouble()).isEqualTo("a state=running ");
        assertThat(read.state()).isEqualTo(Heartbeat.State.DRAINED);
        for (String bad : List.of(
                "risk-bytes=-2",
                "risk-ms=-2",
                "lost-bytes=-2",
                "unverified-bytes=-2",
                "look-ms=-2",
                "files=1e9",
                "bytes-per-second=-2",
                "time=99999999999999999999",
                "interval=0",
                "interval=3600001")) {
            store.replace(
                    newest(), Samples.bytes(summed("format=1\nstate=dancing\nkey=" + newest() + "\n" + bad + "\n")));
            assertThat(Heartbeat.get(store, newest()))
                    .isEqualTo(new Heartbeat(
                            Heartbeat.State.RUNNING,
                            0,
                            Heartbeat.USUAL_INTERVAL_MS,
                            -1,
                            -1,
                            -1,
                            -1,
                            -1,
                            "",
                            "",
                            "",
                            -1,
                            -1,
                            0));
        }
        store.replace(newest(), Samples.bytes("state=running\n"));
        assertThatThrownBy(() -> Heartbeat.get(store, newest())).isInstanceOf(CorruptArchiveException.class);
    }

    /** A writer with the rights of another host does not speak for it. */
    @Test
    void refusesTheWordOfAnother() throws IOException {
        WORD.put(store, ID, 1, 1);
        byte[] word = store.bytes(newest());
        for (String key : List.of(
                ArchiveLayout.heartbeat("00000000000000bb", 1, 1),
                ArchiveLayout.heartbeat(ID, 2, 1),
                ArchiveLayout.heartbeat(ID, 1, 2))) {
            store.replace(key, word);
            assertThatThrownBy(() -> Heartbeat.get(store, key))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining("a heartbeat of another host");
        }
    }

    private static String summed(String lines) {
        return lines + TextRecord.checksum(lines);
    }

    @Test
    void hostileBytesEndInAWordOrAFault() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("HeartbeatTest"));
        WORD.put(store, ID, 1, 1);
        byte[] good = store.bytes(newest());
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = java.util.Arrays.copyOf(good, random.nextInt(good.length + 100));
            for (int j = random.nextInt(20); j > 0 && bad.length > 0; j--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            store.replace(newest(), bad);
            try {
                Heartbeat word = Heartbeat.get(store, newest());
                assertThat(word.intervalMs()).isBetween(1L, Heartbeat.MAX_INTERVAL_MS);
                assertThat(word.riskBytes()).isGreaterThanOrEqualTo(-1);
                assertThat(word.trouble().codePoints()).allMatch(io.chagres.linux.Pathname::isShown);
            } catch (CorruptArchiveException e) {
                assertThat(e.object()).isEqualTo(newest());
            }
        }
    }
}
