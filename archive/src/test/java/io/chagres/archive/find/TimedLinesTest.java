package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The lines of a time are given, and those that belong to them. */
final class TimedLinesTest {
    private static final long START_MS = Instant.parse("2026-01-02T03:00:00Z").toEpochMilli();

    private static LineClock clock(@Nullable LineTimeFormat format, long sinceMs, long untilMs) {
        return new LineClock(format, sinceMs, untilMs, ZoneOffset.UTC, START_MS, START_MS);
    }

    /** Gives a text in pieces of some bytes. */
    private static FileSearch.Source source(byte[] text, RandomGenerator random) {
        int[] at = {0};
        return target -> {
            int most = (int) Math.min(target.byteSize(), text.length - at[0]);
            int length = most == 0 ? 0 : 1 + random.nextInt(most);
            MemorySegment.copy(MemorySegment.ofArray(text), at[0], target, 0, length);
            at[0] += length;
            return length;
        };
    }

    private static String given(TimedLines lines, int pieceBytes) throws IOException {
        StringBuilder all = new StringBuilder();
        byte[] piece = new byte[pieceBytes];
        while (lines.next()) {
            all.append('@').append(lines.position()).append(' ');
            for (int got = lines.read(MemorySegment.ofArray(piece));
                    got > 0;
                    got = lines.read(MemorySegment.ofArray(piece))) {
                all.append(new String(piece, 0, got, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @Test
    void givesLinesOfATimeWithThoseThatHaveNone() throws IOException {
        String text = "banner\n03:00 x\n".replace("03:00", "2026-01-02 03:00:00")
                + "2026-01-02 03:00:01 thrown\n  at a\n  at b\n2026-01-02 03:00:02 y\n2026-01-02 03:00:01 late";
        TimedLines lines = new TimedLines(clock(null, START_MS + 1000, START_MS + 1999));
        lines.over(source(text.getBytes(StandardCharsets.UTF_8), new Random(1)), 100);
        int thrown = 100 + text.indexOf("2026-01-02 03:00:01 thrown");
        assertThat(given(lines, 7))
                .isEqualTo("@" + thrown + " 2026-01-02 03:00:01 thrown\n  at a\n  at b\n@"
                        + (100 + text.lastIndexOf("2026")) + " 2026-01-02 03:00:01 late");
        assertThat(lines.takeSkipped()).isEqualTo(3);
        assertThat(lines.format()).hasToString("iso");
        assertThat(lines.hasTimes()).isTrue();
    }

    @Test
    void knowsNothingOfAFileWithoutTimes() throws IOException {
        TimedLines lines = new TimedLines(clock(null, Long.MIN_VALUE, Long.MAX_VALUE));
        lines.over(source("a\nb\n".repeat(100_000).getBytes(StandardCharsets.UTF_8), new Random(2)), 0);
        assertThat(given(lines, 100)).isEmpty();
        assertThat(lines.hasTimes()).isFalse();
        assertThat(lines.hasLines()).isTrue();
    }

    /** The first lines of a file may be another program's. */
    @Test
    void findsOutLaterWhereTheFirstLinesHaveNoTime() throws IOException {
        String banner = "no time here\n".repeat(20_000);
        TimedLines lines = new TimedLines(clock(null, Long.MIN_VALUE, Long.MAX_VALUE));
        lines.over(source((banner + "2026-01-02 03:00:00 x\n").getBytes(StandardCharsets.UTF_8), new Random(3)), 0);
        assertThat(given(lines, 100)).isEqualTo("@" + banner.length() + " 2026-01-02 03:00:00 x\n");
    }

    private static String shown(String text) throws IOException {
        TimedLines lines = new TimedLines(clock(null, START_MS + 1000, START_MS + 1999));
        lines.over(source(text.getBytes(StandardCharsets.UTF_8), new Random(4)), 0);
        return given(lines, 1000).replaceAll("@\\d+ ", "");
    }

    /** Several programs write into one file, or a line has its time at its end: nothing of the window is missed. */
    @Test
    void findsTimesOfEachFormWhereverTheyStand() throws IOException {
        String head = "2026-01-02 03:00:00 a\n".repeat(1000);
        String in = "2026-01-02 03:00:01 b\n";
        String out = "2026-01-02 03:00:02 c\n";
        for (String line : List.of(
                "Jan  2 03:00:01 web1 cron: x\n",
                "10.0.0.1 - - [02/Jan/2026:03:00:01 +0000] x\n",
                "I0102 03:00:01.000000 1 x.go:1] x\n",
                "WARN 1767322801 x\n".replace("WARN ", "["),
                "{\"log\":\"" + "y".repeat(16_000) + "\",\"time\":\"2026-01-02T03:00:01.5Z\"}\n")) {
            assertThat(shown(head + line + out)).isEqualTo(line);
            assertThat(shown(head + in + "  at 2026-01-02 09:00:00\n" + line + "  more\n" + out + head))
                    .isEqualTo(in + "  at 2026-01-02 09:00:00\n" + line + "  more\n");
            String later = line.replace("03:00:01", "04:00:01").replace("1767322801", "1767326401");
            assertThat(shown(head + in + later)).isEqualTo(in);
        }
        assertThat(shown("2026 is a year, nothing else\n".repeat(100_000) + in + out))
                .isEqualTo(in);
    }

    @Test
    void givesWhatASourceGaveBeforeItFailed() throws IOException {
        byte[] text = "2026-01-02 03:00:00 whole\n2026-01-02 03:00:00 ha".getBytes(StandardCharsets.UTF_8);
        boolean[] given = {false};
        TimedLines lines = new TimedLines(clock(null, Long.MIN_VALUE, Long.MAX_VALUE));
        lines.over(
                target -> {
                    if (given[0]) {
                        throw new IOException("damaged");
                    }
                    given[0] = true;
                    MemorySegment.copy(MemorySegment.ofArray(text), 0, target, 0, text.length);
                    return text.length;
                },
                0);
        byte[] piece = new byte[1000];
        assertThat(lines.next()).isTrue();
        assertThat(lines.read(MemorySegment.ofArray(piece))).isEqualTo(text.length);
        assertThat(lines.read(MemorySegment.ofArray(piece))).isZero();
        assertThatThrownBy(lines::next).hasMessage("damaged");
    }

    /** Lines of every length, read in pieces of every length, are those that a plain reader takes. */
    @Test
    void givesWhatAPlainReaderTakes() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("TimedLinesTest#givesWhatAPlainReaderTakes"));
        for (int round = 0; round < 50; round++) {
            StringBuilder text = new StringBuilder();
            StringBuilder expected = new StringBuilder();
            boolean takes = false;
            for (int i = 0; i < 200; i++) {
                int second = random.nextInt(60);
                boolean timed = random.nextInt(3) > 0;
                takes = timed ? second >= 20 && second <= 40 : takes;
                String line = (timed ? "2026-01-02 03:00:" + second / 10 + second % 10 : " ")
                        + " x".repeat(random.nextInt(20) == 0 ? random.nextInt(100_000) : random.nextInt(100))
                        + "\n";
                text.append(line);
                expected.append(takes ? line : "");
            }
            TimedLines lines = new TimedLines(clock(LineTimeFormat.of("iso"), START_MS + 20_000, START_MS + 40_000));
            lines.over(source(text.toString().getBytes(StandardCharsets.UTF_8), random), 0);
            String all = given(lines, 1 + random.nextInt(100_000)).replaceAll("@\\d+ (?=2026)", "");
            assertThat(all).isEqualTo(expected.toString());
        }
    }
}
