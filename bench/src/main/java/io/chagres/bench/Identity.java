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
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** The identity of a file: its inode number, of a path or of an open file, all in the kernel's caches. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Identity {
    private final DataFile file = new DataFile("identity", 4096);
    private final Statx statx = new Statx();
    private final FileHandle handle = new FileHandle();
    private Path path = Path.of("");
    private Pathname pathname = Pathname.of("/");
    private int fd;

    @Setup
    public void setUp(BenchmarkParams params) throws IOException {
        fd = file.open();
        path = file.path();
        pathname = Pathname.of(path.toString());
        Object inode = Files.getAttribute(path, "unix:ino");
        Object expected = Check.method(params).equals("readAttributes")
                ? Files.readAttributes(path, BasicFileAttributes.class).fileKey()
                : inode;
        Check.returns(this, params, expected);
    }

    @TearDown
    public void close() {
        file.close();
        statx.close();
        handle.close();
    }

    @Benchmark
    public Object readAttributes() throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Benchmark
    public Object getAttribute() throws IOException {
        return Files.getAttribute(path, "unix:ino");
    }

    @Benchmark
    public long oursStat() {
        return statx.of(pathname, true) == 0 ? statx.ino() : -1;
    }

    @Benchmark
    public long oursFstat() {
        return statx.of(fd) == 0 ? statx.ino() : -1;
    }

    @Benchmark
    public long oursOpenFstat() throws IOException {
        try (Fd opened = Fd.open(pathname, Fd.O_RDONLY | Fd.O_CLOEXEC, 0)) {
            return statx.of(opened.value()) == 0 ? statx.ino() : -1;
        }
    }

    @Benchmark
    public long oursHandle() {
        return handle.of(fd) == 0 ? handle.inode() : -1;
    }
}
