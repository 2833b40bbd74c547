package io.chagres.archive.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.TableBytes;
import io.chagres.testkit.Program;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds objects of gzip to what other programs read, and to what the seek table says. */
class GzipMembersTest {
    private static final int PIECE = LogRecord.PIECE_BYTES;
    private static final String KEY = "object.gz";

    private final RandomGenerator random = Seeds.random(Seeds.next("GzipMembersTest"));

    private static byte[] object(byte[] content) {
        try (GzipMembers members = new GzipMembers(6)) {
            return TableBytes.object(members, List.of(content));
        }
    }

    private byte[] content(int length) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        Arrays.fill(content, 0, length / 2, (byte) 'x');
        return content;
    }

    private static FrameTable table(byte[] object) throws IOException {
        MemorySegment all = MemorySegment.ofArray(object);
        FrameTable.Source source = (offset, target) -> {
            long length = Math.clamp(all.byteSize() - offset, 0, target.byteSize());
            MemorySegment.copy(all, offset, target, 0, length);
            return (int) length;
        };
        return FrameTable.load(source, KEY, object.length);
    }

    /** Returns what a member holds; null if it is refused. */
    private static byte[] member(byte[] object, FrameTable table, int frame, int length) {
        try (Arena arena = Arena.ofConfined();
                GzipMembers.Reader reader = new GzipMembers.Reader()) {
            MemorySegment stored = arena.allocate(Math.max(1, table.storedBytes(frame)));
            MemorySegment.copy(
                    object, (int) table.storedStart(frame), stored, ValueLayout.JAVA_BYTE, 0, table.storedBytes(frame));
            ByteBuffer target = arena.allocate(length).asByteBuffer();
            return reader.read(target, stored.asByteBuffer())
                    ? MemorySegment.ofBuffer(target.rewind()).toArray(ValueLayout.JAVA_BYTE)
                    : null;
        }
    }

    @Test
    void othersReadWhatWasWritten(@TempDir Path directory) throws IOException {
        for (int length : new int[] {1, 2, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 17}) {
            byte[] content = content(length);
            byte[] object = object(content);
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(object))) {
                assertThat(in.readAllBytes()).isEqualTo(content);
            }
            Path file = Files.write(directory.resolve("object.gz"), object);
            Program.ok("gzip", "-t", file.toString());
            Program.ok("sh", "-c", "zcat '" + file + "' >'" + directory.resolve("content") + "'");
            assertThat(directory.resolve("content")).hasBinaryContent(content);
        }
    }

    @Test
    void eachMemberIsReadAlone() throws IOException {
        byte[] content = content(5 * PIECE + 17);
        byte[] object = object(content);
        FrameTable table = table(object);
        assertThat(table.frames()).isEqualTo(6);
        assertThat(table.contentBytes()).isEqualTo(content.length);
        assertThat(table.storedStart(0)).isZero();
        for (int i = 5; i >= 0; i--) {
            byte[] piece = Arrays.copyOfRange(content, i * PIECE, Math.min(content.length, (i + 1) * PIECE));
            assertThat(member(object, table, i, table.contentBytes(i))).isEqualTo(piece);
        }
    }

    @Test
    void noFlippedBitIsTaken() throws IOException {
        byte[] content = content(2000);
        byte[] object = object(content);
        for (int bit = 0; bit < object.length * 8; bit++) {
            byte[] damaged = object.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            byte[] got = null;
            try {
                FrameTable table = table(damaged);
                got = table.frames() == 1 ? member(damaged, table, 0, table.contentBytes(0)) : null;
            } catch (CorruptArchiveException e) {
                continue;
            }
            assertThat(got).as("bit %d", bit).isIn(null, content);
            if (got != null) {
                assertThat(isReadByOthers(damaged, content)).as("bit %d", bit).isTrue();
            }
        }
    }

    /** A bit that changes nothing for us must change nothing for others either. */
    private static boolean isReadByOthers(byte[] object, byte[] content) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(object))) {
            return Arrays.equals(in.readAllBytes(), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aMemberOfAnotherLengthIsRefused() throws IOException {
        byte[] object = object(content(3000));
        FrameTable table = table(object);
        for (int length : new int[] {1, 2999, 3001, PIECE}) {
            assertThat(member(object, table, 0, length)).isNull();
        }
    }

    @Test
    void aCutObjectIsRefused() {
        byte[] object = object(content(3000));
        for (int length = 0; length < object.length; length++) {
            byte[] cut = Arrays.copyOf(object, length);
            assertThatThrownBy(() -> table(cut)).isInstanceOf(CorruptArchiveException.class);
        }
    }

    @Test
    void tooManyMembersForATableAreRefused() {
        int most = (int) (GzipMembers.MAX_CONTENT_BYTES / PIECE);
        assertThat(GzipMembers.beforeTable(SeekTable.bytes(most))).hasSize(GzipMembers.BEFORE_TABLE_BYTES);
        assertThatThrownBy(() -> GzipMembers.beforeTable(SeekTable.bytes(most + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
