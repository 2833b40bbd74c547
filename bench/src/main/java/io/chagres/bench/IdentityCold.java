package io.chagres.bench;

import io.chagres.linux.Fd;
import io.chagres.linux.FileHandle;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The same of two thousand files that the kernel does not have in its caches. Drops those, so it needs root. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(IdentityCold.FILES)
public class IdentityCold {
    static final int FILES = 2000;

    private final Path[] paths = new Path[FILES];
    private final Pathname[] pathnames = new Pathname[FILES];
    private final Statx statx = new Statx();
    private final FileHandle handle = new FileHandle();

    @Setup
    public void setUp() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Path directory = DataFile.directory().resolve("cold").resolve("d" + i % 20);
            Files.createDirectories(directory);
            paths[i] = directory.resolve("f" + i);
            if (!Files.exists(paths[i])) {
                Files.writeString(paths[i], "x");
            }
            pathnames[i] = Pathname.of(paths[i].toString());
        }
    }

    @Setup(Level.Iteration)
    public void dropCaches() throws IOException {
        new ProcessBuilder("sync").start().onExit().join();
        Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "3");
    }

    @TearDown
    public void close() {
        statx.close();
        handle.close();
    }

    @Benchmark
    public long readAttributes() throws IOException {
        long sum = 0;
        for (Path path : paths) {
            sum += Files.readAttributes(path, BasicFileAttributes.class)
                    .fileKey()
                    .hashCode();
        }
        return sum;
    }

    @Benchmark
    public long getAttribute() throws IOException {
        long sum = 0;
        for (Path path : paths) {
            sum += (long) Files.getAttribute(path, "unix:ino");
        }
        return sum;
    }

    @Benchmark
    public long oursStat() {
        long sum = 0;
        for (Pathname path : pathnames) {
            sum += checked(statx.of(path, true), statx.ino());
        }
        return sum;
    }

    @Benchmark
    public long oursOpenFstat() throws IOException {
        long sum = 0;
        for (Pathname path : pathnames) {
            try (Fd opened = Fd.open(path, Fd.O_RDONLY | Fd.O_CLOEXEC, 0)) {
                sum += checked(statx.of(opened.value()), statx.ino());
            }
        }
        return sum;
    }

    @Benchmark
    public long oursOpenHandle() throws IOException {
        long sum = 0;
        for (Pathname path : pathnames) {
            try (Fd opened = Fd.open(path, Fd.O_RDONLY | Fd.O_CLOEXEC, 0)) {
                sum += checked(handle.of(opened.value()), handle.inode());
            }
        }
        return sum;
    }

    private static long checked(int result, long inode) {
        if (result != 0) {
            throw new IllegalStateException("errno " + -result);
        }
        return inode;
    }
}
