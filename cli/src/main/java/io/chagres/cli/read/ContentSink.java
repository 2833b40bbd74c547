package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.read.VersionContent;
import io.chagres.cli.command.Output;
import io.chagres.cli.text.JsonWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Where the bytes of files go: as they are, or as JSON. Confined to one thread. */
sealed interface ContentSink {
    /**
     * Takes bytes of a file, in order.
     *
     * @param position of the first byte in its version
     * @param bytes borrowed until return
     */
    void write(QueriedFile file, long position, MemorySegment bytes) throws IOException;

    /** Is called behind the last bytes. */
    default void end() throws IOException {}

    /** Takes a range of a version; what cannot be read of it is said. */
    default void copy(QueriedFile file, long start, long end, VersionContent content, ArchiveView view)
            throws IOException {
        content.copyProven(
                file.version(),
                start,
                end,
                (position, bytes) -> write(file, position, bytes),
                (from, to, cause) -> view.lost(file, from, to, cause));
    }

    /** Says whether the bytes of both belong under one name: versions of a path follow each other. */
    private static boolean isOf(QueriedFile file, QueriedFile other) {
        return file.host().name().equals(other.host().name()) && file.path().equals(other.path());
    }

    /** The bytes and nothing else. */
    record Raw(Output out) implements ContentSink {
        @Override
        public void write(QueriedFile file, long position, MemorySegment bytes) throws IOException {
            out.write(bytes, 0, bytes.byteSize());
        }
    }

    /** The bytes, with a line that names the file wherever another one begins, as tail(1) does it. */
    final class Headed implements ContentSink {
        private final Output out;
        private final boolean fromTheStart;
        private @Nullable QueriedFile last;

        /**
         * Creates a sink.
         *
         * @param fromTheStart whether the first file is named too
         */
        Headed(Output out, boolean fromTheStart) {
            this.out = out;
            this.fromTheStart = fromTheStart;
        }

        @Override
        public void write(QueriedFile file, long position, MemorySegment bytes) throws IOException {
            boolean isNext = last == null ? fromTheStart : !isOf(file, last);
            if (isNext) {
                out.line((last == null ? "" : "\n") + "==> " + file + " <==");
            }
            last = file;
            out.write(bytes, 0, bytes.byteSize());
        }
    }

    /** Lines, each behind the name of its file; one without a newline gets one before the next file's, or a gap. */
    final class Named implements ContentSink {
        private final Output out;
        private byte[] name = {};
        private @Nullable QueriedFile last;
        private boolean isWithin;
        private long next;

        Named(Output out) {
            this.out = out;
        }

        @Override
        public void write(QueriedFile file, long position, MemorySegment bytes) throws IOException {
            if (last == null
                    || !isOf(file, last)
                    || file.version().id() != last.version().id()
                    || position != next) {
                end();
                name = (file + ":").getBytes(StandardCharsets.UTF_8);
                last = file;
            }
            next = position + bytes.byteSize();
            long at = 0;
            while (at < bytes.byteSize()) {
                if (!isWithin) {
                    out.write(name, 0, name.length);
                }
                long newline = newline(bytes, at);
                isWithin = newline < 0;
                long end = isWithin ? bytes.byteSize() : newline + 1;
                out.write(bytes, at, end - at);
                at = end;
            }
        }

        private static long newline(MemorySegment bytes, long from) {
            for (long at = from; at < bytes.byteSize(); at++) {
                if (bytes.get(ValueLayout.JAVA_BYTE, at) == '\n') {
                    return at;
                }
            }
            return -1;
        }

        @Override
        public void end() throws IOException {
            if (isWithin) {
                out.write(new byte[] {'\n'}, 0, 1);
                isWithin = false;
            }
        }
    }

    /** One object per piece: {@code text} where the piece is UTF-8, {@code base64} where it is not. */
    record Json(Output out) implements ContentSink {
        @Override
        public void write(QueriedFile file, long position, MemorySegment bytes) throws IOException {
            byte[] copy = bytes.toArray(ValueLayout.JAVA_BYTE);
            int start = 0;
            while (start < copy.length) { // pieces end at newlines, so that they do not split characters
                int end = pieceEnd(copy, start);
                out.line(piece(file, position + start, ByteBuffer.wrap(copy, start, end - start)));
                start = end;
            }
        }

        private static int pieceEnd(byte[] bytes, int start) {
            for (int i = bytes.length - 1; i >= start; i--) {
                if (bytes[i] == '\n') {
                    return i + 1;
                }
            }
            return bytes.length;
        }

        private static JsonWriter piece(QueriedFile file, long position, ByteBuffer bytes) {
            JsonWriter json = new JsonWriter().beginObject();
            json.member("host", file.host().name()).member("path", file.path().toString());
            json.member("address", file.toString());
            json.member("version", ArchiveLayout.hex(file.version().id())).member("position", position);
            try {
                json.member(
                        "text",
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .decode(bytes.slice())
                                .toString());
            } catch (CharacterCodingException e) {
                ByteBuffer encoded = Base64.getEncoder().encode(bytes);
                json.member("base64", StandardCharsets.US_ASCII.decode(encoded).toString());
            }
            return json.endObject();
        }
    }
}
