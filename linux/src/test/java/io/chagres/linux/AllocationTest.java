package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Allocations;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything done per read or per event allocates nothing, shape by shape: escape analysis is fragile. */
@Tag("unchecked")
class AllocationTest {
    private static final int ROUNDS = 500;
    private static final int CALLS = 3_000;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(4096);

    private final Path temp;

    private Pathname path;
    private Fd fd;

    AllocationTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws IOException {
        path = FdTest.pathname(Files.writeString(temp.resolve("file"), "x".repeat(5000)));
        fd = Fd.open(path, Fd.O_RDWR, 0);
    }

    @AfterEach
    void close() {
        fd.close();
        arena.close();
    }

    @Test
    void positionalReadsAndWrites() {
        free(() -> expect(fd.pread(buffer, 0, 4096, 100), 4096));
        free(() -> expect(fd.pread(buffer, 0, 100, 9999), 0));
        free(() -> expect(fd.pread(buffer, 96, 4000, 100), 4000));
        free(() -> expect(fd.pwrite(buffer, 0, 100, 100), 100));
    }

    @Test
    void statusAndHandles() {
        try (Statx stat = new Statx();
                FileHandle handle = new FileHandle()) {
            MemorySegment cString = path.toCString(arena);
            free(() -> expect(stat.of(fd.value()) + stat.size(), 5000));
            free(() -> expect(stat.of(cString, true) + stat.size(), 5000));
            free(() -> expect(stat.of(path, false) + stat.size(), 5000));
            if (handle.of(fd.value()) == 0) {
                long generation = handle.generation();
                free(() -> expect(handle.of(fd.value()) + handle.generation(), generation));
            }
        }
    }

    @Test
    void eventsAndWaiting() throws ErrnoException {
        try (Inotify inotify = Inotify.open();
                InotifyEvents events = new InotifyEvents();
                Epoll epoll = Epoll.open()) {
            MemorySegment cString = FdTest.pathname(temp).toCString(arena);
            inotify.add(cString, Inotify.IN_MODIFY);
            epoll.add(inotify.fd(), Epoll.EPOLLIN, 5);
            free(() -> expect(inotify.add(cString, Inotify.IN_MODIFY), 1));
            free(() -> {
                fd.pwrite(buffer, 0, 1, 0);
                expect(epoll.waitFor(1000), 1);
                expect(epoll.data(0), 5);
                expect(inotify.read(events), 32);
                expect(events.next() ? events.mask() + events.nameLength() : 0, Inotify.IN_MODIFY + 4);
                expect(events.next() ? 1 : 0, 0);
            });
        }
    }

    @Test
    void flags() throws ErrnoException {
        try (EventFd flag = EventFd.open();
                Epoll epoll = Epoll.open()) {
            epoll.add(flag.fd(), Epoll.EPOLLIN, 1);
            free(() -> expect(epoll.waitFor(0), 0));
            free(() -> {
                flag.signal();
                expect(epoll.waitFor(0), 1);
                expect(flag.drain() ? 1 : 0, 1);
            });
        }
    }

    @Test
    void listing() throws IOException {
        for (int i = 1000; i < 3000; i++) {
            Files.createFile(temp.resolve("f" + i));
        }
        try (Directory dir = Directory.open(FdTest.pathname(temp))) {
            long bytes = Allocations.fewestBytes(ROUNDS, () -> list(dir));
            assertThat(bytes).isZero();
        }
    }

    private static void list(Directory dir) {
        try {
            long lengths = 0;
            while (dir.next()) {
                lengths += dir.nameLength();
            }
            dir.rewind();
            expect(lengths, 2000 * 5 + 4);
        } catch (ErrnoException e) {
            throw new AssertionError(e);
        }
    }

    private static void expect(long value, long expected) {
        if (value != expected) {
            throw new AssertionError(value + " instead of " + expected);
        }
    }

    private static void free(Runnable call) {
        long bytes = Allocations.fewestBytes(ROUNDS, () -> {
            for (int i = 0; i < CALLS; i++) {
                call.run();
            }
        });
        assertThat(bytes).isZero();
    }
}
