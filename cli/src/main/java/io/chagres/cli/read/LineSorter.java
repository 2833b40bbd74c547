package io.chagres.cli.read;

import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.Output;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Merges what is found in many files by time, then by file; what is found in one file stays in its order. Within a part
 * of the memory the rows of the files are merged there; what is more goes, merged so far, into a temporary file without
 * a name, and those parts are merged when everything was found. Safe for any thread.
 */
final class LineSorter implements AutoCloseable {
    private static final Comparator<Entry> ORDER =
            Comparator.comparingLong(Entry::timeMs).thenComparingLong(Entry::file);

    /** The bytes that an entry takes beside its text. */
    private static final int ENTRY_BYTES = 64;

    private static final int MIN_BUFFER_BYTES = 4096;
    private static final int MAX_BUFFER_BYTES = 64 * 1024;

    private record Entry(long timeMs, long file, byte[] text) {}

    /** A range of the temporary file, in order. */
    private record Part(long start, long end) {}

    private final Path directory;
    private final long memoryBytes;
    private final List<Part> parts = new ArrayList<>();
    private List<Entry> entries = new ArrayList<>();
    private long keptBytes;
    private @Nullable FileChannel spilled;

    /**
     * Makes one that holds nothing.
     *
     * @param directory for the temporary file
     * @param memoryBytes what is kept in memory, about
     */
    LineSorter(Path directory, long memoryBytes) {
        this.directory = directory;
        this.memoryBytes = memoryBytes;
    }

    /**
     * Adds what is printed of a line.
     *
     * @param timeMs not before that of the line of the same file before
     * @param file its place among all files
     * @param text belongs to this object from now on
     */
    synchronized void add(long timeMs, long file, byte[] text) throws IOException {
        entries.add(new Entry(timeMs, file, text));
        keptBytes += ENTRY_BYTES + text.length;
        if (keptBytes >= memoryBytes) {
            spill();
        }
    }

    private void spill() throws IOException {
        if ((parts.size() + 1L) * MIN_BUFFER_BYTES > memoryBytes) {
            throw new CommandFailure(
                    GrepOptions.TROUBLE,
                    "more is found than can be sorted within --memory; give more of it, or leave out --sort time");
        }
        FileChannel file = file();
        entries.sort(ORDER); // the rows of files are in order already: they are merged
        long start = file.position();
        try {
            DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(file), MAX_BUFFER_BYTES));
            for (Entry each : entries) {
                out.writeLong(each.timeMs());
                out.writeLong(each.file());
                out.writeInt(each.text().length);
                out.write(each.text());
            }
            out.flush();
        } catch (IOException e) {
            throw failed(e);
        }
        parts.add(new Part(start, file.position()));
        entries = new ArrayList<>();
        keptBytes = 0;
    }

    private FileChannel file() throws IOException {
        FileChannel file = spilled;
        try {
            if (file == null) {
                Path path = Files.createTempFile(directory, "chagres-", null);
                file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                spilled = file;
                Files.delete(path);
            }
            return file;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private CommandFailure failed(IOException cause) {
        return new CommandFailure(
                GrepOptions.TROUBLE,
                "cannot keep what is found in " + directory + ": " + cause.getMessage()
                        + "; TMPDIR names another directory, or leave out --sort time");
    }

    /** Prints everything in its order; once. */
    synchronized void print(Output out) throws IOException {
        if (parts.isEmpty()) {
            entries.sort(ORDER);
            for (Entry each : entries) {
                out.write(each.text(), 0, each.text().length);
            }
            return;
        }
        spill();
        FileChannel file = file();
        int buffer = Math.clamp(memoryBytes / parts.size(), MIN_BUFFER_BYTES, MAX_BUFFER_BYTES);
        PriorityQueue<Row> rows = new PriorityQueue<>();
        for (Part part : parts) {
            rows.add(new Row(rows.size(), new BufferedInputStream(new PartStream(file, part), buffer)));
        }
        byte[] piece = new byte[MIN_BUFFER_BYTES];
        while (!rows.isEmpty()) {
            Row row = rows.remove();
            row.print(out, piece);
            if (row.next()) {
                rows.add(row);
            }
        }
    }

    @Override
    public synchronized void close() {
        try {
            if (spilled != null) {
                spilled.close();
            }
        } catch (IOException e) {
            // it had no name, and nobody wants what is in it
        }
    }

    /** The rest of a part; only its position is in memory. */
    private static final class Row implements Comparable<Row> {
        private static final Comparator<Row> NEXT = Comparator.<Row>comparingLong(row -> row.timeMs)
                .thenComparingLong(row -> row.file)
                .thenComparingInt(row -> row.part);

        private final int part;
        private final DataInputStream in;
        private long timeMs;
        private long file;
        private int length;

        /** Begins with the first entry of a part, which has one. */
        Row(int part, InputStream in) throws IOException {
            this.part = part;
            this.in = new DataInputStream(in);
            next();
        }

        @Override
        public int compareTo(Row other) {
            return NEXT.compare(this, other);
        }

        /** Moves behind an entry that was printed; returns whether there is another one. */
        boolean next() throws IOException {
            try {
                timeMs = in.readLong();
            } catch (EOFException e) {
                return false;
            }
            file = in.readLong();
            length = in.readInt();
            return true;
        }

        void print(Output out, byte[] piece) throws IOException {
            while (length > 0) {
                int some = Math.min(length, piece.length);
                in.readFully(piece, 0, some);
                out.write(piece, 0, some);
                length -= some;
            }
        }
    }

    /** The bytes of a part. */
    private static final class PartStream extends InputStream {
        private final FileChannel file;
        private final long end;
        private long position;

        PartStream(FileChannel file, Part part) {
            this.file = file;
            position = part.start();
            end = part.end();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int wanted = (int) Math.min(length, end - position);
            int got = wanted <= 0 ? -1 : file.read(ByteBuffer.wrap(bytes, offset, wanted), position);
            position += Math.max(0, got);
            return got;
        }
    }
}
