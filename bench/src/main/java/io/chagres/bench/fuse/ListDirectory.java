package io.chagres.bench.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A directory of eight entries, the one that {@code -Dbench.list} names, read from start to end by the JDK. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ListDirectory {
    private Path directory;

    @Setup
    public void check() throws IOException {
        directory = Path.of(System.getProperty("bench.list"));
        if (filesList() != 8) {
            throw new IllegalStateException(directory + " has " + filesList() + " entries");
        }
    }

    @Benchmark
    public int filesList() throws IOException {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.mapToInt(path -> 1).sum();
        }
    }
}
