package io.chagres.bench;

import com.sun.management.ThreadMXBean;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ReadingNew jdk|ours catchup|steady SECONDS}: the read path of a shipper, by classes of the JDK or by the call
 * layer. Catch-up reads long files from their start; steady looks at files that have each grown by one line. Prints
 * bytes read, looks, wall ns, CPU ns of the JVM and heap bytes allocated, of the second half of the time.
 */
public final class ReadingNew {
    private static final int FILES = 100;
    private static final int LINE = 161;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<GrowingFile> files = new ArrayList<>();
    private final List<FileChannel> writers = new ArrayList<>();
    private long bytes;
    private long looks;
    private long wallNs;
    private long cpuNs;
    private long allocated;

    /** Runs one combination. */
    public static void main(String[] args) throws IOException {
        boolean steady = args[1].equals("steady");
        new ReadingNew().run(args[0], steady, (long) (Double.parseDouble(args[2]) * 1e9));
    }

    private void run(String way, boolean steady, long durationNs) throws IOException {
        open(way, steady);
        long start = System.nanoTime();
        boolean counted = false;
        long now = start;
        while (now - start < durationNs) {
            if (!counted && now - start > durationNs / 2) {
                counted = true; // compiled by now
                bytes = looks = wallNs = cpuNs = allocated = 0;
            }
            if (steady) {
                append();
            } else {
                rewind();
            }
            pass();
            now = System.nanoTime();
        }
        System.out.println(bytes + " " + looks + " " + wallNs + " " + cpuNs + " " + allocated);
        for (int i = 0; i < FILES; i++) {
            files.get(i).close();
            writers.get(i).close();
        }
    }

    private static byte[] line() {
        return "x".repeat(LINE - 1).concat("\n").getBytes(StandardCharsets.US_ASCII);
    }

    private void open(String way, boolean steady) throws IOException {
        Path directory = Files.createDirectories(DataFile.directory().resolve("growing"));
        byte[] line = line();
        long length = steady ? 0 : Long.getLong("bench.bytes", 512L << 20) / FILES;
        for (int i = 0; i < FILES; i++) {
            Path path = directory.resolve("f" + i);
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path))) {
                for (long at = 0; at < length; at += LINE) {
                    out.write(line);
                }
            }
            writers.add(FileChannel.open(path, StandardOpenOption.APPEND));
            files.add(GrowingFile.open(way, path));
        }
    }

    private void append() throws IOException {
        ByteBuffer line = ByteBuffer.wrap(line());
        for (FileChannel writer : writers) {
            writer.write(line.clear());
        }
    }

    private void rewind() {
        files.forEach(file -> file.position = 0);
    }

    private void pass() throws IOException {
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        long cpuBefore = CpuClock.processNs();
        long wallBefore = System.nanoTime();
        for (GrowingFile file : files) {
            long count;
            do {
                count = file.look();
                bytes += count;
                looks++;
            } while (count == GrowingFile.PIECE);
        }
        wallNs += System.nanoTime() - wallBefore;
        cpuNs += CpuClock.processNs() - cpuBefore;
        allocated += THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    }
}
