package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTimesTest {
    private static final long YEAR_S = 31_556_952;

    @Test
    void countsNanosecondsForNearlyThreeHundredYears() {
        assertThat(FileTimes.of(0, 0)).isZero();
        assertThat(FileTimes.of(1, 5)).isEqualTo(1_000_000_005L);
        assertThat(FileTimes.of(-1, 999_999_999)).isEqualTo(-1);
        assertThat(FileTimes.of(4_599_999_999L, 999_999_999)).isEqualTo(4_599_999_999_999_999_999L);
        assertThat(FileTimes.of(-4_600_000_000L, 1)).isEqualTo(-4_599_999_999_999_999_999L);
    }

    @Test
    void countsMicrosecondsBeyond() {
        assertThat(FileTimes.of(4_600_000_000L, 1999)).isEqualTo(4_600_000_000_000_000_001L);
        assertThat(FileTimes.of(-4_600_000_001L, 999_999_999)).isEqualTo(-4_600_000_000_000_000_001L);
        long far = FileTimes.of(13_569_465_600L, 123_456_789);
        assertThat(FileTimes.seconds(far)).isEqualTo(13_569_465_600L);
        assertThat(FileTimes.nanos(far)).isEqualTo(123_456_000);
        assertThat(FileTimes.toMs(far)).isEqualTo(13_569_465_600_123L);
    }

    @Test
    void whatIsBeyondAllIsTheNearest() {
        assertThat(FileTimes.of(150_000 * YEAR_S, 1)).isEqualTo(FileTimes.LATEST);
        assertThat(FileTimes.of(-150_000 * YEAR_S, 1)).isEqualTo(FileTimes.EARLIEST);
        assertThat(FileTimes.of(Long.MAX_VALUE, 999_999_999)).isNotEqualTo(Timespecs.NOW);
        assertThat(FileTimes.of(Long.MIN_VALUE, 0)).isNotEqualTo(Timespecs.OMIT);
    }

    @Test
    void keepsTheOrderOfTimesAndTheirSeconds() {
        RandomGenerator random = Seeds.random(Seeds.next("FileTimesTest"));
        for (int i = 0; i < 100_000; i++) {
            long years = random.nextBoolean() ? 200 : 140_000;
            long seconds = random.nextLong(-years * YEAR_S, years * YEAR_S);
            int nanos = random.nextInt(1_000_000_000);
            long time = FileTimes.of(seconds, nanos);
            assertThat(FileTimes.seconds(time)).as("%d s %d ns", seconds, nanos).isEqualTo(seconds);
            assertThat(nanos - FileTimes.nanos(time)).isBetween(0, 999);
            assertThat(FileTimes.of(seconds, nanos / 2)).isLessThanOrEqualTo(time);
            assertThat(FileTimes.of(seconds - 1, nanos)).isLessThan(time);
        }
    }

    /** Of the file system of temporary files, which may keep less: it says what it kept. */
    @Test
    void filesKeepThem(@TempDir Path temp) throws Exception {
        Path file = Files.createFile(temp.resolve("f"));
        try (Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0);
                Statx stat = new Statx()) {
            long time = FileTimes.of(13_569_465_600L, 5000);
            fd.setTimes(Timespecs.OMIT, time);
            assertThat(stat.of(fd.value())).isZero();
            assertThat(FileTimes.seconds(stat.mtimeNs()))
                    .isEqualTo(Files.getLastModifiedTime(file).toInstant().getEpochSecond());
        }
    }
}
