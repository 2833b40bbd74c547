package io.chagres.archive.query;

import io.chagres.archive.find.DecodedSource;
import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LineSink;
import io.chagres.archive.find.SourceStream;
import io.chagres.archive.find.TimedLines;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.Extents;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file that are searched, as the text that they are: unpacked, and decoded. Confined to one thread.
 *
 * @param file whose version knows where its bytes are
 * @param rest what of it may match
 * @param packed how it is compressed; null if it is to be searched as it is
 */
record SearchedFile(
        QueriedFile file,
        List<Unmatched.Range> rest,
        @Nullable Unpacker packed,
        VersionContent content) {
    private static final int PIECE_BYTES = 64 * 1024;

    /**
     * What its bytes are.
     *
     * @param charset null for UTF-8 or no text
     * @param markBytes at the start of the file, which are no text
     */
    record Text(@Nullable Charset charset, int markBytes) {}

    /** Returns how many bytes need not be searched. */
    long ruledOutBytes() {
        long left = rest.stream().mapToLong(each -> each.end() - each.start()).sum();
        return packed != null ? 0 : Math.max(0, file.end() - file.start() - left);
    }

    /** Looks at the first bytes, if these say how the others are to be read. */
    Text text(TextEncoding encoding) throws IOException {
        byte[] first = packed != null || rest.isEmpty() ? new byte[0] : first(encoding);
        return new Text(packed != null ? null : encoding.of(first), encoding.markBytes(first));
    }

    /**
     * Searches the file.
     *
     * @param sink takes positions in the text; they are positions in the file only if the file itself is searched
     * @param times finds the lines that are wanted by the times in them; null for all
     * @throws UnreadFileException if it cannot be unpacked to its end; what was unpacked before was searched
     */
    void search(FileSearch search, Text text, LineSink sink, @Nullable TimedLines times) throws IOException {
        search.search(nothing -> 0, file.start(), sink);
        Part part = (source, position) -> part(search, source, position, sink, times);
        if (packed != null) {
            unpacked(packed, part);
            return;
        }
        if (text.charset() != null) {
            decoded(text.charset(), text.markBytes(), part);
            return;
        }
        for (Unmatched.Range each : rest) {
            long from = Math.max(each.start(), text.markBytes());
            for (long at = from; at < each.end(); at = Extents.holeEnd(file.version(), at)) {
                long hole = Extents.largeHole(file.version(), at, each.end());
                long next = Math.min(hole + 1, each.end()); // its first byte says that this is no text
                Range range = new Range(at, next);
                part.search(range::read, at);
                at = next;
            }
        }
    }

    /** A part of the text is searched. */
    @FunctionalInterface
    private interface Part {
        void search(FileSearch.Source source, long position) throws IOException;
    }

    private static void part(
            FileSearch search, FileSearch.Source source, long position, LineSink sink, @Nullable TimedLines times)
            throws IOException {
        if (times == null) {
            search.resume(source, position, sink);
            return;
        }
        times.over(source, position);
        while (!search.isStopped() && times.next()) {
            search.skipLines(times.takeSkipped());
            search.resume(times::read, times.position(), sink);
        }
    }

    /**
     * Returns the first bytes of the file where they may be a mark. They are not where filters know that the first
     * lines need not be read: a filter knows nothing of text in two bytes a character.
     */
    private byte[] first(TextEncoding encoding) throws IOException {
        boolean known = file.start() == 0 && rest.getFirst().start() > 0;
        if (!encoding.byMark() || file.version().startPosition() > 0 || known) {
            return new byte[0];
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(TextEncoding.MARK_BYTES);
            int length = (int) Math.min(bytes.byteSize(), file.version().length());
            int got = 0;
            while (got < length) {
                int more = content.read(file.version(), got, bytes.asSlice(got, length - got));
                if (more <= 0) {
                    break;
                }
                got += more;
            }
            return bytes.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Searches it to its first hole, which is no text. */
    private void decoded(Charset charset, int mark, Part part) throws IOException {
        long from = Math.max(file.start() - (mark > 0 ? file.start() % 2 : 0), mark);
        Range range = new Range(from, Math.min(Extents.largeHole(file.version(), from, file.end()) + 2, file.end()));
        part.search(new DecodedSource(range::read, charset), from - mark);
    }

    private void unpacked(Unpacker form, Part part) throws IOException {
        if (file.start() == file.end()) {
            return;
        }
        Range range = new Range(file.start(), file.end());
        InputStream in;
        try {
            in = form.open(range.stream());
        } catch (IOException e) {
            throw fault(form, range, e);
        }
        try (in) {
            byte[] piece = new byte[PIECE_BYTES];
            part.search(
                    target -> {
                        try {
                            return read(in, piece, target);
                        } catch (IOException e) {
                            throw fault(form, range, e);
                        }
                    },
                    0);
        }
    }

    /** Returns what is wrong: the archive says it, or what is in the file. */
    private IOException fault(Unpacker form, Range range, IOException found) {
        return range.failed == null ? new UnreadFileException(file, form.fault(found)) : range.failed;
    }

    private static int read(InputStream in, byte[] piece, MemorySegment target) throws IOException {
        int got = in.read(piece, 0, (int) Math.min(piece.length, target.byteSize()));
        if (got > 0) {
            MemorySegment.copy(MemorySegment.ofArray(piece), 0, target, 0, got);
        }
        return got;
    }

    /** Bytes of the file. */
    private final class Range {
        private final long rangeEnd;
        private long position;
        private @Nullable IOException failed;

        Range(long position, long rangeEnd) {
            this.position = position;
            this.rangeEnd = rangeEnd;
            content.begin(file.version(), position, rangeEnd);
        }

        int read(MemorySegment target) throws IOException {
            try {
                int got = content.readOn(target);
                position += got;
                return got;
            } catch (IOException e) {
                failed = e;
                throw e;
            }
        }

        /** Returns the bytes to be unpacked; GZIPInputStream looks for another member only where more is left. */
        InputStream stream() {
            return new SourceStream(this::read) {
                @Override
                public int available() {
                    return position < rangeEnd ? 1 : 0;
                }
            };
        }
    }
}
