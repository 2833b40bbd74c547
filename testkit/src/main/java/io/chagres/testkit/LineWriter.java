package io.chagres.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes the numbered lines of one stream, as a program writes its log: it holds a file open and learns of a rotation
 * only when a test has it open the name again. Errors are unchecked, so that it fits into any task. Confined to one
 * thread at a time.
 */
public final class LineWriter implements AutoCloseable {
    private final String stream;
    private @Nullable FileChannel file;
    private long written;

    /**
     * Creates a writer without a file.
     *
     * @param stream a name without spaces, unique in the test
     */
    public LineWriter(String stream) {
        this.stream = stream;
    }

    /** Opens a file for appending, created if absent, and closes the one before. */
    public LineWriter open(Path path) {
        return open(path, StandardOpenOption.APPEND);
    }

    /** Opens a file at its start, without O_APPEND: what such a writer leaves behind a truncation is a hole. */
    public LineWriter openWithoutAppend(Path path) {
        return open(path, StandardOpenOption.WRITE);
    }

    private LineWriter open(Path path, StandardOpenOption mode) {
        close();
        try {
            file = FileChannel.open(path, StandardOpenOption.CREATE, mode);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Writes lines, each with a write(2) of its own. */
    public LineWriter lines(int count) {
        for (int i = 0; i < count; i++) {
            bytes(NumberedLine.of(stream, written));
            written++;
        }
        return this;
    }

    /** Writes lines with a single write(2). */
    public LineWriter batch(int count) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(NumberedLine.of(stream, written + i));
        }
        bytes(all.toByteArray());
        written += count;
        return this;
    }

    /** Writes the first half of the next line; the line counts from {@link #secondHalf()}. */
    public LineWriter firstHalf() {
        byte[] line = NumberedLine.of(stream, written);
        return bytes(Arrays.copyOf(line, line.length / 2));
    }

    /** Writes the rest of the line that {@link #firstHalf()} began. */
    public LineWriter secondHalf() {
        byte[] line = NumberedLine.of(stream, written);
        bytes(Arrays.copyOfRange(line, line.length / 2, line.length));
        written++;
        return this;
    }

    /** Cuts the open file, as {@code : > file} and copytruncate do. */
    public LineWriter truncate(long length) {
        try {
            opened().truncate(length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Writes bytes that are no line of this stream. */
    public LineWriter bytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try {
            while (buffer.hasRemaining()) {
                opened().write(buffer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Returns the name of the stream. */
    public String stream() {
        return stream;
    }

    /** Returns how many whole lines were written. */
    public long written() {
        return written;
    }

    private FileChannel opened() {
        if (file == null) {
            throw new IllegalStateException("no file is open");
        }
        return file;
    }

    /** Closes the file; another can be opened. */
    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        file = null;
    }
}
