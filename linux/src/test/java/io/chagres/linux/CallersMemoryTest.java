package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.CString;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that the kernel fills is refused when it cannot be filled, by every public method that takes it. */
class CallersMemoryTest {
    private static final int BYTES = 4096;

    @TempDir
    private Path directory;

    /** Something of the API with all but its memory chosen. */
    @FunctionalInterface
    private interface Use {
        void of(MemorySegment memory) throws IOException;
    }

    /** Those whose memory the kernel writes, each asking for {@link #BYTES} or for its structure. */
    private Map<String, Use> filling(Fd file, PathFd path, IoUring ring) {
        Map<String, Use> uses = new TreeMap<>();
        uses.put("Fd.pread", memory -> file.pread(memory, 0, BYTES, 0));
        uses.put("Fd.read", memory -> file.read(memory, 0, BYTES));
        uses.put("Fd.preadFully", memory -> file.preadFully(memory, 0, BYTES, 0));
        uses.put("Fd.preadAll", memory -> file.preadAll(memory, 0, BYTES, 0));
        uses.put("Fd.tryIoctl", memory -> file.tryIoctl(2L << 30 | BYTES << 16, memory));
        uses.put("PathFd.getXattr", memory -> path.getXattr(CallersMemoryTest.name(), 0, memory, 0, BYTES));
        uses.put("PathFd.listXattr", memory -> path.listXattr(memory, 0, BYTES));
        uses.put("DescriptorSocket.receive", CallersMemoryTest::receive);
        uses.put("SubmissionEntry.read", memory -> ring.next().read(file.value(), memory, 0, BYTES, 0));
        uses.put("SubmissionEntry.receive", memory -> ring.next().receive(file.value(), memory, 0, BYTES, 0));
        uses.put("Signals.read", memory -> Signals.read(file, memory, 0, BYTES));
        uses.put("Statx.new", Statx::new);
        uses.put("Statfs.new", Statfs::new);
        uses.put("DirectoryEntries.new", DirectoryEntries::new);
        return uses;
    }

    private static void receive(MemorySegment memory) throws IOException {
        DescriptorSocket[] pair = DescriptorSocket.pair();
        try (DescriptorSocket one = pair[0];
                DescriptorSocket other = pair[1];
                Arena arena = Arena.ofConfined()) {
            assertThat(other.send(-1, arena.allocate(1), 0, 1)).isOne();
            one.receive(memory, 0, BYTES, new int[1]);
        }
    }

    /** Those whose memory the kernel only reads, or that only Java touches. */
    private static final List<String> READING = List.of(
            "DescriptorSocket.send",
            "Fd.tryOpen",
            "Fd.tryOpenWithoutLinks",
            "Fd.write",
            "Fd.pwrite",
            "Fd.writeFully",
            "Fd.pwriteFully",
            "FileControl.append",
            "Inotify.add",
            "IoVector.add",
            "PathFd.tryOpen",
            "PathFd.create",
            "PathFd.mkdir",
            "PathFd.mknod",
            "PathFd.symlink",
            "PathFd.link",
            "PathFd.unlink",
            "PathFd.rmdir",
            "PathFd.rename",
            "PathFd.setXattr",
            "PathFd.removeXattr",
            "Pathname.copyTo",
            "Pathname.ofSegment",
            "Statx.of",
            "SubmissionEntry.openat",
            "SubmissionEntry.send",
            "SubmissionEntry.statx",
            "SubmissionEntry.timeout",
            "SubmissionEntry.write");

    private static MemorySegment name() {
        return Arena.global().allocateFrom("user.name");
    }

    private static boolean takesMemory(Executable member) {
        return Modifier.isPublic(member.getModifiers())
                && Stream.of(member.getParameterTypes())
                        .anyMatch(type -> type == MemorySegment.class || type == MemorySegment[].class);
    }

    /** Finds what takes memory in the public API of this package. */
    private static List<String> takingMemory() throws IOException, URISyntaxException, ClassNotFoundException {
        URI classes =
                Statx.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        List<String> found = new ArrayList<>();
        try (Stream<Path> files =
                Files.walk(Path.of(classes).resolve("io/chagres/linux"), FileVisitOption.FOLLOW_LINKS)) {
            for (Path file :
                    files.filter(name -> name.toString().endsWith(".class")).toList()) {
                String name = String.valueOf(file.getFileName()).replace(".class", "");
                Class<?> type = Class.forName("io.chagres.linux." + name, false, Statx.class.getClassLoader());
                if (Modifier.isPublic(type.getModifiers())) {
                    Stream.of(type.getConstructors())
                            .filter(CallersMemoryTest::takesMemory)
                            .forEach(member -> found.add(name + ".new"));
                    Stream.of(type.getDeclaredMethods())
                            .filter(CallersMemoryTest::takesMemory)
                            .forEach(member -> found.add(name + "." + member.getName()));
                }
            }
        }
        return found.stream().distinct().sorted().toList();
    }

    private static void refuses(String what, ThrowingCallable use) {
        assertThatThrownBy(use)
                .as(what)
                .isInstanceOfAny(
                        IllegalArgumentException.class,
                        IllegalStateException.class,
                        IndexOutOfBoundsException.class,
                        WrongThreadException.class);
    }

    @Test
    void isRefusedWhereItCannotBeFilled() throws IOException, URISyntaxException, ClassNotFoundException {
        Path path = Files.write(directory.resolve("file"), new byte[BYTES]);
        Pathname name = Pathname.of(path.toString());
        try (Arena arena = Arena.ofConfined();
                Arena others = Arena.ofShared();
                Fd file = Fd.open(name, Fd.O_RDWR, 0);
                PathFd pathFd = PathFd.open(name);
                IoUring ring = IoUring.open(8)) {
            Map<String, Use> uses = filling(file, pathFd, ring);
            List<String> all = Stream.concat(uses.keySet().stream(), READING.stream())
                    .sorted()
                    .toList();
            assertThat(takingMemory())
                    .as("said here what the kernel does with it")
                    .isEqualTo(all);

            MemorySegment closed;
            try (Arena ended = Arena.ofConfined()) {
                closed = ended.allocate(BYTES, 8);
            }
            MemorySegment ofAnotherThread = CompletableFuture.supplyAsync(
                            () -> Arena.ofConfined().allocate(BYTES, 8))
                    .join();
            for (Map.Entry<String, Use> entry : uses.entrySet()) {
                Use use = entry.getValue();
                use.of(arena.allocate(BYTES, 8));
                refuses(
                        entry.getKey() + " read-only",
                        () -> use.of(arena.allocate(BYTES, 8).asReadOnly()));
                refuses(entry.getKey() + " closed", () -> use.of(closed));
                refuses(entry.getKey() + " of another thread", () -> use.of(ofAnotherThread));
                refuses(entry.getKey() + " heap", () -> use.of(MemorySegment.ofArray(new long[BYTES / 8])));
                if (!entry.getKey().equals("DirectoryEntries.new")) { // whose kernel call gets the size
                    refuses(entry.getKey() + " too small", () -> use.of(others.allocate(64, 8)));
                }
                if (entry.getKey().endsWith(".new")) {
                    refuses(
                            entry.getKey() + " unaligned",
                            () -> use.of(others.allocate(BYTES + 1, 8).asSlice(1)));
                }
            }
        }
    }

    @Test
    void isRefusedAfterItWasFreed() throws IOException {
        Statx closed = new Statx();
        closed.close();
        refuses("Statx", () -> closed.of(0));
        Statx borrowing;
        try (Arena arena = Arena.ofConfined()) {
            borrowing = new Statx(arena.allocate(Statx.BYTES, 8));
        }
        refuses("Statx", () -> borrowing.of(0));
        try (IoUring ring = IoUring.open(1)) {
            refuses("SubmissionEntry.statx", () -> ring.next().statx(0, CString.EMPTY, false, closed));
        }
    }
}
