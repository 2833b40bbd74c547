package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.VersionPaths;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Iterator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes, as lines of JSON, which object holds which bytes of a file. It is for programs that know no archive: see
 * docs/QUERY.md. Confined to one thread.
 */
final class ObjectIndex implements AutoCloseable {
    private static final Pattern LINE =
            Pattern.compile("\\{\"object\":\"([^\"]+)\",(?:\"offset\":(\\d+),\"length\":\\d+,)?"
                    + "\"lines\":(\\d+|null),\"first\":\"([^\"]+)\",\"last\":\"([^\"]+)\""
                    + ".*,\"version\":\"([0-9a-f]{16})\",\"state\":[^{]*");

    /** Of one length, so that their order is that of the texts. */
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final BlobWriter object;
    private final SeekableFrames frames = new SeekableFrames(3).checksummed();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment content = arena.allocate(SeekableFrames.FRAME_BYTES, 8);
    private final MemorySegment stored = arena.allocate(SeekableFrames.boundOf(SeekableFrames.FRAME_BYTES), 8);
    private final ByteBuffer contentBytes = content.asByteBuffer();
    private final ByteBuffer storedBytes = stored.asByteBuffer();
    private int length;

    private ObjectIndex(BlobWriter object) {
        this.object = object;
    }

    /** Returns what names the place of an extent's bytes; empty for what is stored nowhere. */
    static String placeOf(String hostId, LogRecord.Extent extent) {
        String key = keyOf(hostId, extent);
        return key == null ? "" : key + "@" + offsetOf(extent);
    }

    private static @Nullable String keyOf(String hostId, LogRecord.Extent extent) {
        return extent instanceof LogRecord.Run run
                ? ArchiveLayout.commit(hostId, run.seq())
                : VersionReader.dataObject(hostId, extent);
    }

    private static long offsetOf(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.Run run -> run.dataOffset();
            case LogRecord.PackedRun run -> run.dataOffset();
            default -> 0;
        };
    }

    /** What a line says of a place. */
    record Line(long versionId, String place, StoredFacts.Stored stored) {}

    /** Returns what a line says; null of one that this program did not write, or that is damaged. */
    static @Nullable Line parse(String line) {
        Matcher found = LINE.matcher(line);
        if (!found.matches()) {
            return null;
        }
        String offset = found.group(2) == null ? "0" : found.group(2);
        try {
            StoredFacts.Stored stored = new StoredFacts.Stored(
                    found.group(3).equals("null") ? -1 : Long.parseLong(found.group(3)),
                    Instant.parse(found.group(4)).toEpochMilli(),
                    Instant.parse(found.group(5)).toEpochMilli());
            long version = Long.parseUnsignedLong(found.group(6), 16);
            return new Line(version, found.group(1) + "@" + offset, stored);
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    /**
     * Writes the index of a checkpoint.
     *
     * @param contents what the checkpoint says
     * @param facts what it does not say
     * @param paths of the versions
     */
    static void write(
            BlobStore store,
            CheckpointId id,
            HostState state,
            CompactedContents contents,
            StoredFacts facts,
            VersionPaths paths)
            throws IOException {
        String hostId = facts.hostId();
        LogRecord.IncarnationOpened shipper = state.lastIncarnation();
        String host = "\"host\":" + quoted(shipper == null ? hostId : shipper.hostName()) + ",\"path\":";
        try (BlobWriter object = store.create(ArchiveLayout.index(hostId, id));
                ObjectIndex index = new ObjectIndex(object)) {
            for (FileVersion version : state.versions()) {
                if (contents.keeps(version)) {
                    String what = host + describe(version, paths.of(version));
                    Iterator<WrittenExtents.Written> fresh =
                            contents.written().of(version.id()).iterator();
                    WrittenExtents.Written next = fresh.hasNext() ? fresh.next() : null;
                    for (LogRecord.Extent extent : contents.extents(version)) {
                        while (next != null && next.extent().start() < extent.start()) {
                            next = fresh.hasNext() ? fresh.next() : null;
                        }
                        boolean isFresh = next != null && next.extent().equals(extent);
                        StoredFacts.Stored of = isFresh && next != null
                                ? facts.of(version, extent.start(), extent.end(), next.lines())
                                : facts.of(version, extent);
                        index.line(keyOf(hostId, extent), extent, of, what);
                    }
                }
            }
            index.finish();
        }
    }

    private static String describe(FileVersion version, Pathname path) {
        return quoted(path.toString()) + ",\"named\":" + (version.nameCount() > 0)
                + ",\"version\":\"" + ArchiveLayout.hex(version.id()) + "\",\"state\":\""
                + version.state().name().toLowerCase(Locale.ROOT) + "\"";
    }

    private void line(@Nullable String key, LogRecord.Extent extent, StoredFacts.Stored facts, String of)
            throws IOException {
        if (key == null) {
            return; // a hole, or a copy, whose bytes are those of another version
        }
        boolean piece = !(extent instanceof LogRecord.ObjectRun);
        String where = piece ? ",\"offset\":" + offsetOf(extent) + ",\"length\":" + extent.length() : "";
        String line = "{\"object\":\"" + key + "\"" + where
                + ",\"lines\":" + (facts.lines() < 0 ? "null" : facts.lines())
                + ",\"first\":\"" + TIME.format(Instant.ofEpochMilli(facts.firstMs()))
                + "\",\"last\":\"" + TIME.format(Instant.ofEpochMilli(facts.lastMs()))
                + "\"," + of + ",\"start\":" + extent.start() + ",\"end\":" + extent.end() + "}\n";
        add(line.getBytes(StandardCharsets.UTF_8));
    }

    private void add(byte[] line) throws IOException {
        for (int at = 0; at < line.length; ) {
            int part = Math.min(line.length - at, SeekableFrames.FRAME_BYTES - length);
            MemorySegment.copy(line, at, content, ValueLayout.JAVA_BYTE, length, part);
            at += part;
            length += part;
            if (length == SeekableFrames.FRAME_BYTES) {
                frame();
            }
        }
    }

    private void frame() throws IOException {
        if (length > 0) {
            object.write(stored, 0, frames.frame(storedBytes, 0, contentBytes, 0, length));
            length = 0;
        }
    }

    private void finish() throws IOException {
        frame();
        MemorySegment table = arena.allocate(Math.max(1, frames.tableBytes()));
        object.write(table, 0, frames.table(table, 0));
        object.commit();
    }

    /** Returns a text as JSON has it; bytes of a path that are no UTF-8 are shown as such a path is. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public void close() {
        frames.close();
        arena.close();
    }
}
