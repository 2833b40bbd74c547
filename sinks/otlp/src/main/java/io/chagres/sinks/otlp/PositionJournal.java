package io.chagres.sinks.otlp;

import io.chagres.archive.HostRegistry;
import io.chagres.forward.Position;
import io.chagres.forward.SinkException;
import io.chagres.forward.SinkFencedException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The positions of one host in a directory of this machine, locked as long as they are open. Each change appends to the
 * file: the id of a version (8 bytes), the length of its position (2), {@link Position#encode} and the CRC-32C of these
 * (4). Entries behind a torn or damaged one do not count: their lines are sent again. Confined to one thread.
 */
final class PositionJournal implements AutoCloseable {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** A journal that grew by this since it was written whole is written whole again. */
    private static final long GROWTH_BYTES = 8 << 20;

    private final Path directory;
    private final FileChannel lock;
    private final Map<Long, Position> positions = new TreeMap<>();
    private final Map<Long, Position> unsaved;
    private FileChannel journal;
    private long grownBytes;

    private PositionJournal(Path directory, FileChannel lock, FileChannel journal, Map<Long, Position> unsaved) {
        this.directory = directory;
        this.lock = lock;
        this.journal = journal;
        this.unsaved = unsaved;
    }

    /**
     * Opens the positions in a directory, which is made if it is not there.
     *
     * @param unsaved positions that an earlier opening could not write, which this one writes first; it keeps there
     *     what it cannot write itself
     * @throws SinkFencedException when another process has them
     * @throws SinkException when they cannot be read, or those before cannot be written, now
     */
    static PositionJournal open(Path directory, HostRegistry.Owner host, Map<Long, Position> unsaved)
            throws IOException {
        @Nullable FileChannel lock = null;
        @Nullable FileChannel journal = null;
        boolean done = false;
        try {
            Files.createDirectories(directory, OWNER_ONLY);
            lock = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(lock)) {
                throw new SinkFencedException(host.title() + " is forwarded by another process of this machine under"
                        + " the same name; this one ends. Two that share hosts want --shard, two with different files"
                        + " want --as");
            }
            journal = file(directory.resolve("positions"), StandardOpenOption.READ);
            PositionJournal read = new PositionJournal(directory, lock, journal, unsaved);
            read.read();
            read.catchUp();
            done = true;
            return read;
        } catch (SinkException | SinkFencedException e) {
            throw e;
        } catch (IOException e) {
            throw new SinkException("the positions in " + directory + " cannot be read: " + e.getMessage(), e);
        } finally {
            if (!done) {
                closeAll(journal, lock);
            }
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static FileChannel file(Path path, StandardOpenOption how) throws IOException {
        return FileChannel.open(path, how, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private void read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(journal.size()));
        while (bytes.hasRemaining() && journal.read(bytes) >= 0) {}
        bytes.flip();
        int good = 0;
        while (take(bytes)) {
            good = bytes.position();
        }
        journal.truncate(good).position(good);
        grownBytes = good;
    }

    /** Writes what could not be written before; what another process wrote since may be further. */
    private void catchUp() throws SinkException {
        unsaved.entrySet().removeIf(each -> {
            Position there = positions.get(each.getKey());
            return there != null && there.offset() > each.getValue().offset();
        });
        if (!unsaved.isEmpty()) {
            move(Map.of());
        }
    }

    /** Takes an entry; false at the end, and at bytes that are no entry. */
    private boolean take(ByteBuffer bytes) {
        int start = bytes.position();
        if (bytes.remaining() < Long.BYTES + Short.BYTES) {
            return false;
        }
        long version = bytes.getLong();
        int length = Short.toUnsignedInt(bytes.getShort());
        if (bytes.remaining() < length + Integer.BYTES) {
            return false;
        }
        byte[] position = new byte[length];
        bytes.get(position);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.slice(start, bytes.position() - start));
        if (bytes.getInt() != (int) checksum.getValue()) {
            return false;
        }
        try {
            positions.put(version, Position.decode(position));
            return true;
        } catch (SinkException e) {
            return false; // of a newer program, perhaps
        }
    }

    /** Returns the positions, which change with {@link #move}. */
    Map<Long, Position> positions() {
        return positions;
    }

    /** Takes new positions, and returns when they are on disk. */
    void move(Map<Long, Position> moved) throws SinkException {
        try {
            unsaved.putAll(moved);
            positions.putAll(unsaved);
            if (grownBytes > GROWTH_BYTES) {
                rewrite();
            } else {
                byte[] bytes = encode(unsaved);
                write(journal, bytes);
                grownBytes += bytes.length;
            }
            unsaved.clear();
        } catch (IOException e) {
            throw new SinkException("the positions in " + directory + " cannot be written: " + e.getMessage(), e);
        }
    }

    private void rewrite() throws IOException {
        Path next = directory.resolve("positions.next");
        FileChannel whole = file(next, StandardOpenOption.TRUNCATE_EXISTING);
        boolean done = false;
        try {
            write(whole, encode(positions));
            Files.move(next, directory.resolve("positions"), StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
                names.force(true);
            }
            done = true;
        } finally {
            closeAll(done ? journal : whole);
        }
        journal = whole;
        grownBytes = 0;
    }

    private static byte[] encode(Map<Long, Position> positions) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Map.Entry<Long, Position> each : positions.entrySet()) {
            ByteArrayOutputStream entry = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(entry);
            byte[] position = each.getValue().encode();
            out.writeLong(each.getKey());
            out.writeShort(position.length);
            out.write(position);
            CRC32C checksum = new CRC32C();
            checksum.update(entry.toByteArray());
            out.writeInt((int) checksum.getValue());
            entry.writeTo(all);
        }
        return all.toByteArray();
    }

    private static void write(FileChannel file, byte[] bytes) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.hasRemaining()) {
            file.write(all);
        }
        file.force(true);
    }

    @Override
    public void close() {
        closeAll(journal, lock);
    }

    private static void closeAll(@Nullable FileChannel... files) {
        try {
            for (FileChannel each : files) {
                if (each != null) {
                    each.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
