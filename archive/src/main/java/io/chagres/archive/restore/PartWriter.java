package io.chagres.archive.restore;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes parts of files, whose other parts others may write, and finishes a file with its last part. One thread. */
final class PartWriter implements AutoCloseable {
    private static final int MAX_OPEN_FILES = 64;

    private final Fd root;
    private final VersionReader reader;
    private final AttributeSetter attributes;
    private final RestoreCounter counter;
    private final Map<RestoredFile, Fd> open = new LinkedHashMap<>(16, 0.75f, true);

    /** The directory of the file, during one step: somebody may move it out of the tree before the next one. */
    private @Nullable Directory directory;

    /** Makes a writer below a directory; directory and reader stay the caller's. */
    PartWriter(Fd root, VersionReader reader, AttributeSetter attributes, RestoreCounter counter) {
        this.root = root;
        this.reader = reader;
        this.attributes = attributes;
        this.counter = counter;
    }

    VersionReader reader() {
        return reader;
    }

    /** Writes a part; what is wrong with its file is a fault, and the file is given up. */
    void write(RestoredPart part) throws IOException {
        writing(part.file(), fd -> {
            write(part.file(), part.extent(), fd);
            if (part.file().partDone()) {
                finish(part.file(), fd);
            }
        });
    }

    /** Makes a file that has no parts. */
    void finish(RestoredFile file) throws IOException {
        writing(file, fd -> finish(file, fd));
    }

    /** A step of writing a file. */
    private interface FileStep {
        void run(Fd fd) throws IOException;
    }

    private void writing(RestoredFile file, FileStep step) throws IOException {
        if (file.hasFailed()) {
            return;
        }
        try {
            Fd fd = open.get(file);
            if (fd == null) {
                fd = file.open(directory(file));
                keepOpen(file, fd);
            }
            step.run(fd);
        } catch (ErrnoException e) {
            if (file.fail()) {
                file.discard(root);
                counter.faultOrThrow(file.place(), e);
            }
        } finally {
            closeDirectory();
        }
    }

    private Directory directory(RestoredFile file) throws ErrnoException {
        Directory in = directory == null ? file.directory(root) : directory;
        directory = in;
        return in;
    }

    private void closeDirectory() {
        Directory known = directory;
        directory = null;
        if (known != null) {
            known.close();
        }
    }

    private void keepOpen(RestoredFile file, Fd fd) {
        if (open.size() == MAX_OPEN_FILES) {
            RestoredFile eldest = open.keySet().iterator().next();
            open.remove(eldest).close();
        }
        open.put(file, fd);
    }

    private void write(RestoredFile file, LogRecord.Extent extent, Fd fd) throws IOException {
        long length = file.version().length(); // an object may hold more than a version had at an earlier moment
        reader.readPieces(extent, new VersionReader.PieceVisitor() {
            @Override
            public void good(long position, MemorySegment bytes) throws IOException {
                long wanted = Math.min(bytes.byteSize(), length - position);
                if (wanted > 0) {
                    fd.pwriteFully(bytes, 0, wanted, position - file.version().startPosition());
                    file.written(position + wanted);
                    counter.bytes(wanted);
                }
            }

            @Override
            public void damaged(long start, long damagedEnd, CorruptArchiveException cause) {
                long end = Math.min(damagedEnd, length);
                if (end <= start) {
                    return;
                }
                String what = "bytes " + start + " to " + end + " are not restored: " + cause.getMessage();
                counter.fault(file.place().toString(), what);
            }
        });
    }

    private void finish(RestoredFile file, Fd fd) throws IOException {
        if (!file.hasSize()) {
            fd.truncate(file.version().length() - file.version().startPosition());
        }
        attributes.set(fd, file.place(), file.version().attributes());
        file.complete(directory(file));
        open.remove(file);
        fd.close();
        counter.file(file.version());
    }

    @Override
    public void close() {
        open.values().forEach(Fd::close);
    }
}
