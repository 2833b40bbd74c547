package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.loopback.LoopbackFileSystem;
import io.chagres.fuse.wire.Opcode;
import io.chagres.linux.IoVector;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Allocations;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mirroring a directory makes no object for what is asked often. */
class LoopbackAllocationTest {
    private static final int REQUESTS_A_ROUND = 100;
    private static final long ROOT = 1;

    @TempDir
    private Path directory;

    private final Arena arena = Arena.ofShared();
    private final Scripted device = new Scripted(arena);
    private Session session;
    private Worker worker;

    /** Gives the requests it is asked for, and keeps what comes first in the answer. */
    private static final class Scripted implements Device {
        private final MemorySegment request;
        private long length;
        private int error;
        private long first;

        private Scripted(Arena arena) {
            request = arena.allocate(1 << 16, 8);
        }

        private void put(byte[] bytes) {
            MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
            length = bytes.length;
        }

        @Override
        public long read(MemorySegment buffer, long offset, long capacity) {
            MemorySegment.copy(request, 0, buffer, offset, length);
            return length;
        }

        @Override
        public long write(MemorySegment message, long offset, long answerLength) {
            error = message.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 4);
            first = answerLength < 24 ? 0 : message.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + 16);
            return answerLength;
        }

        @Override
        public int ioctl(long command, MemorySegment argument) {
            return -Errno.EPERM;
        }

        @Override
        public long write(
                IoVector pieces, MemorySegment head, long headOffset, MemorySegment data, long from, long dataLength) {
            return dataLength;
        }
    }

    @BeforeEach
    void begin() throws IOException {
        Files.writeString(directory.resolve("file"), "x".repeat(10_000));
        for (int i = 0; i < 20; i++) {
            Files.createFile(directory.resolve("other" + i));
        }
        FuseFileSystem mirror = new LoopbackFileSystem(Pathname.of(directory.toString()), 0);
        FuseOptions options =
                LoopbackFileSystem.OPTIONS.without(FuseFeature.PASSTHROUGH).withMaxWrite(8192);
        session = new Session(mirror, options, arena, device, false, MonotonicClock::nowNs);
        worker = new Worker(session, device, () -> {});
        serve(Bytes.none().u32(7).u32(45).u32(0).u32(-1).u32(-1).zeros(44), Opcode.INIT, 0);
    }

    @AfterEach
    void end() {
        session.fileSystem.destroy();
        arena.close();
    }

    private long serve(Bytes arguments, int opcode, long node) {
        device.put(arguments.request(opcode, 2, node));
        worker.serveOne();
        assertThat(device.error).as("opcode %d", opcode).isZero();
        return device.first;
    }

    private void allocatesNothing(Bytes arguments, int opcode, long node) {
        device.put(arguments.request(opcode, 2, node));
        long fewest = Allocations.fewestBytes(2000, () -> {
            for (int i = 0; i < REQUESTS_A_ROUND; i++) {
                worker.serveOne();
            }
        });
        assertThat(device.error).isZero();
        assertThat(fewest).isZero();
    }

    private long file() {
        return serve(Bytes.none().name("file"), Opcode.LOOKUP, ROOT);
    }

    private long opened(long node) {
        return serve(Bytes.none().u32(2).u32(0), Opcode.OPEN, node);
    }

    @Test
    void ofLookups() {
        file();
        allocatesNothing(Bytes.none().name("file"), Opcode.LOOKUP, ROOT);
    }

    @Test
    void ofAttributes() {
        allocatesNothing(Bytes.none().zeros(16), Opcode.GETATTR, file());
    }

    @Test
    void ofReads() {
        long node = file();
        allocatesNothing(Bytes.none().u64(opened(node)).u64(0).u32(4096).zeros(20), Opcode.READ, node);
    }

    @Test
    void ofWrites() {
        long node = file();
        Bytes write = Bytes.none().u64(opened(node)).u64(0).u32(4096).zeros(20).zeros(4096);
        allocatesNothing(write, Opcode.WRITE, node);
    }

    @Test
    void ofLists() {
        long handle = serve(Bytes.none().u32(0).u32(0), Opcode.OPENDIR, ROOT);
        Bytes list = Bytes.none().u64(handle).u64(0).u32(4096).zeros(20);
        allocatesNothing(list, Opcode.READDIR, ROOT);
        serve(list, Opcode.READDIRPLUS, ROOT);
        allocatesNothing(list, Opcode.READDIRPLUS, ROOT);
    }
}
