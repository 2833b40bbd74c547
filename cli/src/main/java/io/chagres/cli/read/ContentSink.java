package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.FileVersion;
import io.chagres.cli.command.Output;
import io.chagres.cli.text.JsonWriter;
import io.chagres.linux.Pathname;
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
    void write(Origin origin, long position, MemorySegment bytes) throws IOException;

    /** Is called behind the last bytes. */
    default void end() throws IOException {}

    /** Takes a range of a version. */
    default void copy(Origin origin, FileVersion version, long start, long end, VersionContent content)
            throws IOException {
        content.copy(version, start, end, (position, bytes) -> write(origin, position, bytes));
    }

    /** The version that the bytes belong to. */
    record Origin(String host, Pathname path, long versionId) {
        /** Returns that of a file. */
        static Origin of(QueriedFile file) {
            return new Origin(file.host().name(), file.path(), file.version().id());
        }

        /** Says whether the bytes of both belong under one name: versions of a path follow each other. */
        boolean sameFile(@Nullable Origin other) {
            return other != null && host.equals(other.host) && path.equals(other.path);
        }

        /** Returns an address that names the file. */
        @Override
        public String toString() {
            return Address.of(host, path);
        }
    }

    /** The bytes and nothing else. */
    record Raw(Output out) implements ContentSink {
        @Override
        public void write(Origin origin, long position, MemorySegment bytes) throws IOException {
            out.write(bytes, 0, bytes.byteSize());
        }
    }

    /** The bytes, with a line that names the file wherever another one begins, as tail(1) does it. */
    final class Headed implements ContentSink {
        private final Output out;
        private final boolean fromTheStart;
        private @Nullable Origin last;

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
        public void write(Origin origin, long position, MemorySegment bytes) throws IOException {
            if (!origin.sameFile(last) && (last != null || fromTheStart)) {
                out.line((last == null ? "" : "\n") + "==> " + origin + " <==");
            }
            last = origin;
            out.write(bytes, 0, bytes.byteSize());
        }
    }

    /** Lines, each behind the name of its file; one that has no newline gets one before the next file's. */
    final class Named implements ContentSink {
        private final Output out;
        private byte[] name = {};
        private @Nullable Origin last;
        private boolean isWithin;

        Named(Output out) {
            this.out = out;
        }

        @Override
        public void write(Origin origin, long position, MemorySegment bytes) throws IOException {
            if (!origin.equals(last)) {
                end();
                name = (origin + ":").getBytes(StandardCharsets.UTF_8);
                last = origin;
            }
            long at = 0;
            while (at < bytes.byteSize()) {
                if (!isWithin) {
                    out.write(name, 0, name.length);
                }
                long newline = newline(bytes, at);
                isWithin = newline < 0;
                long next = isWithin ? bytes.byteSize() : newline + 1;
                out.write(bytes, at, next - at);
                at = next;
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
        public void write(Origin origin, long position, MemorySegment bytes) throws IOException {
            byte[] copy = bytes.toArray(ValueLayout.JAVA_BYTE);
            int start = 0;
            while (start < copy.length) { // pieces end at newlines, so that they do not split characters
                int end = pieceEnd(copy, start);
                out.line(piece(origin, position + start, ByteBuffer.wrap(copy, start, end - start)));
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

        private static JsonWriter piece(Origin origin, long position, ByteBuffer bytes) {
            JsonWriter json = new JsonWriter().beginObject();
            json.member("host", origin.host()).member("path", origin.path().toString());
            json.member("version", ArchiveLayout.hex(origin.versionId())).member("position", position);
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
