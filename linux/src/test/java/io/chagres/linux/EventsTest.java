package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
    private static final int ALL = Inotify.IN_CREATE
            | Inotify.IN_MODIFY
            | Inotify.IN_ATTRIB
            | Inotify.IN_CLOSE_WRITE
            | Inotify.IN_MOVED_FROM
            | Inotify.IN_MOVED_TO
            | Inotify.IN_DELETE
            | Inotify.IN_DELETE_SELF
            | Inotify.IN_MOVE_SELF;

    private final InotifyEvents events = new InotifyEvents();

    private final Path temp;

    private Inotify inotify;

    EventsTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws ErrnoException {
        inotify = Inotify.open();
    }

    @AfterEach
    void close() {
        inotify.close();
        inotify.close();
        events.close();
        events.close();
    }

    @Test
    void everyChangeIsAnEventInOrder() throws IOException {
        int wd = inotify.add(FdTest.pathname(temp), ALL | Inotify.IN_ONLYDIR);
        assertThat(wd).isPositive();
        Path file = Files.writeString(temp.resolve("file"), "x");
        Files.move(file, temp.resolve("moved"), StandardCopyOption.ATOMIC_MOVE);
        Files.createDirectory(temp.resolve("sub"));
        Files.delete(temp.resolve("moved"));
        assertThat(inotify.read(events)).isPositive();
        expect(wd, Inotify.IN_CREATE, "file");
        expect(wd, Inotify.IN_MODIFY, "file");
        expect(wd, Inotify.IN_CLOSE_WRITE, "file");
        expect(wd, Inotify.IN_MOVED_FROM, "file");
        int cookie = events.cookie();
        assertThat(cookie).isNotZero();
        expect(wd, Inotify.IN_MOVED_TO, "moved");
        assertThat(events.cookie()).isEqualTo(cookie);
        expect(wd, Inotify.IN_CREATE | Inotify.IN_ISDIR, "sub");
        expect(wd, Inotify.IN_DELETE, "moved");
        assertThat(events.next()).isFalse();
        assertThat(inotify.read(events)).isZero();
        assertThat(events.next()).isFalse();
    }

    @Test
    void watchedFilesThemselvesHaveNoName() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        int wd = inotify.add(FdTest.pathname(file), ALL);
        Files.delete(file);
        inotify.read(events);
        expect(wd, Inotify.IN_ATTRIB, "");
        expect(wd, Inotify.IN_DELETE_SELF, "");
        expect(wd, Inotify.IN_IGNORED, "");
        assertThat(inotify.remove(wd)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void watchesAreRemoved() {
        int wd = inotify.add(FdTest.pathname(temp), ALL);
        assertThat(inotify.remove(wd)).isZero();
        inotify.read(events);
        expect(wd, Inotify.IN_IGNORED, "");
    }

    @Test
    void pathsThatCannotBeWatchedAreSaid() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), temp);
        assertThat(inotify.add(FdTest.pathname(temp.resolve("none")), ALL)).isEqualTo(-Errno.ENOENT);
        assertThat(inotify.add(FdTest.pathname(file), ALL | Inotify.IN_ONLYDIR)).isEqualTo(-Errno.ENOTDIR);
        assertThat(inotify.add(FdTest.pathname(link), ALL | Inotify.IN_ONLYDIR | Inotify.IN_DONT_FOLLOW))
                .isEqualTo(-Errno.ENOTDIR);
        inotify.close();
        assertThat(inotify.add(FdTest.pathname(file), ALL)).isEqualTo(-Errno.EBADF);
        assertThat(inotify.read(events)).isEqualTo(-Errno.EBADF);
    }

    @Test
    void longNamesAndFullBuffersComeWhole() throws IOException {
        inotify.add(FdTest.pathname(temp), Inotify.IN_CREATE);
        for (int i = 0; i < 1000; i++) {
            Files.createFile(
                    temp.resolve(i + "n".repeat(255 - Integer.toString(i).length())));
        }
        int seen = 0;
        while (inotify.read(events) > 0) {
            while (events.next()) {
                assertThat(events.nameLength()).isEqualTo(255);
                assertThat(name()).startsWith(seen + "n");
                seen++;
            }
        }
        assertThat(seen).isEqualTo(1000);
    }

    @Test
    void aFlagRaisedByAnotherThreadEndsTheWait() throws IOException, InterruptedException, ExecutionException {
        try (Epoll epoll = Epoll.open();
                EventFd flag = EventFd.open();
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            epoll.add(flag.fd(), Epoll.EPOLLIN, Long.MIN_VALUE + 7);
            epoll.add(inotify.fd(), Epoll.EPOLLIN, 8);
            assertThat(epoll.waitFor(0)).isZero();
            Future<Integer> waiting = executor.submit(() -> epoll.waitFor(-1));
            flag.signal();
            flag.signal();
            assertThat(waiting.get()).isEqualTo(1);
            assertThat(epoll.data(0)).isEqualTo(Long.MIN_VALUE + 7);
            assertThat(epoll.events(0)).isEqualTo(Epoll.EPOLLIN);
            assertThat(flag.drain()).isTrue();
            assertThat(flag.drain()).isFalse();
            assertThat(epoll.waitFor(0)).isZero();
        }
    }

    @Test
    void severalDescriptorsAreReadyAtOnce() throws IOException {
        try (Epoll epoll = Epoll.open();
                EventFd flag = EventFd.open()) {
            epoll.add(flag.fd(), Epoll.EPOLLIN, 1);
            epoll.add(inotify.fd(), Epoll.EPOLLIN, 2);
            assertThatThrownBy(() -> epoll.add(flag.fd(), Epoll.EPOLLIN, 1)).hasMessageContaining("EEXIST");
            inotify.add(FdTest.pathname(temp), ALL);
            Files.createFile(temp.resolve("file"));
            flag.signal();
            assertThat(epoll.waitFor(1000)).isEqualTo(2);
            assertThat(epoll.data(0) + epoll.data(1)).isEqualTo(3);
            epoll.remove(flag.fd());
            assertThat(epoll.waitFor(0)).isEqualTo(1);
            assertThat(epoll.data(0)).isEqualTo(2);
            assertThatThrownBy(() -> epoll.remove(flag.fd())).hasMessageContaining("ENOENT");
        }
    }

    @Test
    void closedObjectsDoNothing() throws IOException {
        EventFd flag = EventFd.open();
        flag.close();
        flag.close();
        flag.signal();
        Epoll epoll = Epoll.open();
        epoll.close();
        epoll.close();
        assertThatThrownBy(() -> epoll.add(0, Epoll.EPOLLIN, 0)).hasMessageContaining("EBADF");
    }

    private void expect(int wd, int mask, String name) {
        assertThat(events.next()).isTrue();
        assertThat(events.wd()).isEqualTo(wd);
        assertThat(events.mask()).isEqualTo(mask);
        assertThat(name()).isEqualTo(name);
    }

    private String name() {
        return Pathname.ofSegment(events.nameSegment(), events.nameOffset(), events.nameLength())
                .toString();
    }
}
