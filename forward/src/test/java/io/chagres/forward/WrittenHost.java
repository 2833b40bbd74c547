package io.chagres.forward;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** A host whose log is written by a test, a second each commit; remembers the bytes. */
final class WrittenHost implements AutoCloseable {
    private final SmallArchive archive;
    private final Map<Long, ByteArrayOutputStream> written = new TreeMap<>();
    private long second;

    WrittenHost(Path directory, String name, long second) {
        archive = new SmallArchive(directory, name);
        this.second = second;
    }

    long file(String path, String text) {
        long version = archive.file(path);
        written.put(version, new ByteArrayOutputStream());
        if (!text.isEmpty()) {
            append(version, text);
        }
        return version;
    }

    void append(long version, String text) {
        archive.append(version, text);
        written.get(version).writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Copies what a source has behind what was copied so far, to the same place. */
    void copy(long version, long source, int length) {
        int at = bytes(version).length;
        CRC32C crc = new CRC32C();
        crc.update(bytes(source), at, length);
        archive.extend(
                version, length, new LogRecord.CopyRun(version, at, length, source, at, (int) crc.getValue(), 0));
        written.get(version).write(bytes(source), at, length);
    }

    void end(long version, LogRecord.Reason reason) {
        archive.write(new LogRecord.VersionClosed(version, reason));
    }

    void remove(String path) {
        archive.remove(path);
    }

    void move(String from, String to) {
        archive.rename(from, to);
    }

    /** Returns the second of the commit. */
    long commit() {
        archive.commit(second);
        return second++;
    }

    byte[] bytes(long version) {
        return written.get(version).toByteArray();
    }

    @Override
    public void close() {
        archive.close();
    }
}
