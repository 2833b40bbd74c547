package io.chagres.tests.faults;

import io.chagres.fuse.Attributes;
import io.chagres.fuse.path.PathFileSystem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A file system with one file, {@code disk}, that behaves as a disk with a cache: what was written since the last flush
 * may be there after a power cut or not, sector by sector in any order. Safe for any thread.
 */
final class VolatileDisk implements PathFileSystem {
    private static final int SECTOR = 4096;
    private static final byte[] ZEROS = new byte[SECTOR];

    /** An event at a moment of the disk's life. */
    @FunctionalInterface
    interface Moment {
        /** Happens, on the thread that writes. */
        void come() throws IOException;
    }

    private final long bytes;

    /** The bytes that stay, by sector; sectors that were never written hold zeros. */
    private final Map<Long, byte[]> flushed = new HashMap<>();

    /** The bytes written since. */
    private final Map<Long, byte[]> cached = new HashMap<>();

    private long flushes;
    private int writesLeft;
    private @Nullable Moment afterWrites;

    VolatileDisk(long bytes) {
        this.bytes = bytes;
    }

    @Override
    public synchronized void getattr(String path, Attributes attributes) throws NoSuchFileException {
        switch (path) {
            case "/" -> attributes.directory(0755);
            case "/disk" -> attributes.file(0600, bytes);
            default -> throw new NoSuchFileException(path);
        }
    }

    @Override
    public List<String> readdir(String path) {
        return List.of("disk");
    }

    @Override
    public long open(String path, int flags) {
        return 0;
    }

    @Override
    public synchronized void read(String path, long handle, ByteBuffer buffer, long position) {
        long end = Math.min(bytes, position + buffer.remaining());
        for (long at = position; at < end; ) {
            int within = (int) (at % SECTOR);
            int length = (int) Math.min(end - at, SECTOR - within);
            byte[] unwritten = flushed.getOrDefault(at / SECTOR, ZEROS);
            buffer.put(cached.getOrDefault(at / SECTOR, unwritten), within, length);
            at += length;
        }
    }

    @Override
    public synchronized void write(String path, long handle, ByteBuffer data, long position) throws IOException {
        for (long at = position; data.hasRemaining(); ) {
            int within = (int) (at % SECTOR);
            int length = Math.min(data.remaining(), SECTOR - within);
            byte[] sector = cached.computeIfAbsent(
                    at / SECTOR, number -> flushed.getOrDefault(number, ZEROS).clone());
            data.get(sector, within, length);
            at += length;
        }
        if (afterWrites != null && --writesLeft == 0) {
            Moment then = afterWrites;
            afterWrites = null;
            then.come();
        }
    }

    /** Does something once, after a number of further writes, before anything else reaches the disk. */
    synchronized void afterWrites(int writes, Moment then) {
        writesLeft = writes;
        afterWrites = then;
    }

    @Override
    public synchronized void fsync(String path, long handle) {
        flushed.putAll(cached);
        cached.clear();
        flushes++;
    }

    /** Returns how often it was flushed. */
    synchronized long flushes() {
        return flushes;
    }

    /**
     * Writes what would be left if the power went now.
     *
     * @param share the share of unflushed writes that is there all the same, 0 to 1
     * @return how many sectors were lost
     */
    synchronized int crash(Path image, double share, RandomGenerator random) throws IOException {
        Map<Long, byte[]> left = new HashMap<>(flushed);
        int lost = 0;
        for (Map.Entry<Long, byte[]> each : cached.entrySet()) {
            if (random.nextDouble() < share) {
                left.put(each.getKey(), each.getValue());
            } else {
                lost++;
            }
        }
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(0);
            file.setLength(bytes);
            for (Map.Entry<Long, byte[]> each : left.entrySet()) {
                if (!Arrays.equals(each.getValue(), ZEROS)) {
                    file.seek(each.getKey() * SECTOR);
                    file.write(each.getValue());
                }
            }
        }
        return lost;
    }
}
