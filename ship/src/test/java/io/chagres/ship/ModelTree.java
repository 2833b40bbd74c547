package io.chagres.ship;

import static io.chagres.ship.ModelChanges.append;
import static io.chagres.ship.ModelChanges.change;
import static io.chagres.ship.ModelChanges.copy;
import static io.chagres.ship.ModelChanges.fallocate;
import static io.chagres.ship.ModelChanges.isSame;
import static io.chagres.ship.ModelChanges.place;
import static io.chagres.ship.ModelChanges.rewrite;
import static io.chagres.ship.ModelChanges.touch;
import static io.chagres.ship.ModelChanges.touchBack;

import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** The files of a run: real ones, changed by real system calls. An operation that does not fit then does nothing. */
final class ModelTree implements AutoCloseable {
    private static final int O_TMPFILE = 0x40_0000 | Fd.O_DIRECTORY;
    private static final int BLOCK_BYTES = 4096;
    private static final int MAX_ZEROED_BYTES = 100_000;
    /** From half of this on lengths in bits need more than 32 bits. */
    private static final long HOLE_BYTES = 1L << 30;

    private static final String[] NAMES = {
        "a.log",
        "a.log.1",
        "b",
        "a-1.log",
        "d/a.log",
        "d/c",
        "a.log.2",
        "b.1",
        "c",
        "c.1",
        "d/a.log.1",
        "e/a.log",
        "e/c",
        "b_2",
        "d/c.1",
        "e/c-1",
        "f",
        "d/f"
    };

    /** A file that somebody holds open. */
    private record Opened(Object key, FileChannel channel, Fd fd, boolean appends) {}

    /**
     * A file that was known and lost its last name while somebody has it open for writing.
     *
     * @param reader finds it, though no name leads there
     */
    private record Orphan(String name, Fd reader) {
        ModelContent content() throws IOException {
            return ModelContent.of(Path.of("/proc/self/fd/" + reader.value()));
        }
    }

    /** The content of a file when it was truncated; its copy has the end. */
    record Cut(String name, long inode, ModelContent content) {}

    /** A file that somebody has mapped. */
    private record Mapped(Object key, RandomAccessFile file, Arena arena, MemorySegment bytes) {}

    /** What a file held when its last name went, while the shipper ran and had read it. */
    record Last(String name, ModelContent content) {}

    final Path top;
    private final ModelOutside outside;
    private final Map<Integer, Opened> open = new HashMap<>();
    private final Map<Integer, Mapped> mapped = new HashMap<>();
    private final Set<Object> known = new HashSet<>();
    private final Set<Object> knownBefore = new HashSet<>(); // by the shipper that is gone
    private final Set<Object> noticed = new HashSet<>(); // it has the descriptor, whatever it has read
    private final ModelMounts mounts = new ModelMounts();
    private final Map<Integer, Orphan> orphans = new HashMap<>();
    /** Links that the shipper may not have seen: writes through a link that goes again raise no event. */
    private final Set<Path> unseenLinks = new HashSet<>();

    final List<Last> lasts = new ArrayList<>();
    final List<Cut> cuts = new ArrayList<>();
    private Map<String, ModelContent> earlier = Map.of();
    private final ModelBytes bytes = new ModelBytes();
    private final ModelFillers fillers;
    /** Whether files may have changed, or were forgotten, since the shipper noticed them all. */
    private boolean unnoticed = true;
    /** Whether something happened without an event since the shipper went round all files. */
    boolean unseen;

    /** Whether the kernel opens files by handle for us: then nothing that somebody holds open is beyond reach. */
    final boolean opensByHandle;

    ModelTree(Path top, Path outside) throws IOException {
        this.top = top;
        this.outside = new ModelOutside(outside);
        fillers = new ModelFillers(top);
        Files.createDirectories(top.resolve("d"));
        Files.createDirectories(top.resolve("e"));
        opensByHandle = ModelMounts.opensByHandle(top);
    }

    static String name(int number) {
        return NAMES[number % NAMES.length];
    }

    private Path path(int number) {
        return top.resolve(name(number));
    }

    /** Does what an operation says to the files; false when it is not about files. */
    boolean apply(ModelOperation o) throws IOException {
        unnoticed = true;
        Path file = path(o.file());
        if (!Files.isDirectory(file.getParent())) {
            return true;
        }
        if (o.kind().ordinal() < ModelOperation.Kind.REFUSE.ordinal()) {
            cuts.clear(); // what happens to files before the copy was seen may change it
        }
        switch (o.kind()) {
            case APPEND -> append(file, bytes.of(o));
            case WRITE -> write(file, o, 0);
            case APPEND_AND_WRITE -> write(file, o, 1 + o.length() % 3000);
            case GROW -> change(file, open -> open.setLength(open.length() + o.length()));
            case HOLE -> change(file, open -> open.setLength(open.length() + HOLE_BYTES + o.length()));
            case TOUCH -> touch(file, o);
            case TRUNCATE -> change(file, open -> open.setLength(place(open.length(), o)));
            case REWRITE -> rewrite(file, bytes.of(o));
            case PUNCH, COLLAPSE -> fallocate(file, o);
            case RENAME -> rename(file, path(o.other()));
            case EXCHANGE -> exchange(o, file, path(o.other()));
            case MOVE_OUT -> moveOut(file);
            case LINK -> link(file, path(o.other()));
            case UNLINK, APPEND_UNLINK, UNLINK_OPEN -> {
                if (!unseenLinks.contains(file)) {
                    unlink(file, o);
                }
            }
            case COPY -> copy(file, path(o.other()), o.file() != o.other());
            case COPY_TRUNCATE -> copyTruncate(o);
            case APPEND_COPY_TRUNCATE -> appendCopyTruncate(o, file, path(o.other()));
            case RENAME_DIRECTORY -> renameDirectory();
            case MOUNT -> mounts.mount(directory(o));
            case UNMOUNT -> unmount(directory(o));
            case TOUCH_BACK -> touchBack(file, o);
            default -> {
                return applyOpen(o, file);
            }
        }
        return true;
    }

    private boolean applyOpen(ModelOperation o, Path file) throws IOException {
        unseen |= o.isUnseen();
        switch (o.kind()) {
            case MAP_STORE -> {
                map(o.file(), file);
                store(o);
                unmap(o.file());
            }
            case MAP -> map(o.file(), file);
            case STORE -> store(o);
            case UNMAP -> unmap(o.file());
            case OPEN -> open(o, file);
            case WRITE_OPEN -> writeOpen(o);
            case CLOSE -> close(o.file());
            case LINK_NAMELESS -> linkNameless(o, file);
            case LINK_OUTSIDE -> {
                if (!unseenLinks.contains(file)) {
                    outside.link(o.file(), file);
                }
            }
            case WRITE_OUTSIDE -> outside.write(o.file(), bytes.of(o), o.writesInside() ? o.at() : 1000);
            case STORE_OUTSIDE -> outside.store(o.file(), o.at());
            case WRITE_ASYNC -> writeAsync(o);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Writes into a file, and behind its end by the same descriptor. */
    private void write(Path file, ModelOperation o, int appended) throws IOException {
        byte[] added = bytes.of(o);
        change(file, open -> {
            long size = open.length();
            long place = place(size, o);
            if (appended > 0) {
                open.seek(size);
                open.write(added, 0, Math.min(added.length, appended));
            }
            open.seek(place);
            open.write(added, 0, (int) Math.min(Math.max(1, size - place), added.length));
        });
    }

    private void rename(Path from, Path to) throws IOException {
        if (Files.exists(from) && isBeside(from, to) && !isSame(from, to) && !unseenLinks.contains(to)) {
            lastOf(to);
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private void exchange(ModelOperation o, Path one, Path other) throws IOException {
        if (o.at() % 4 == 0 && Files.exists(top.resolve("d")) && isBeside(top.resolve("d/f"), top.resolve("e/f"))) {
            ModelChanges.exchange(top.resolve("d"), top.resolve("e"));
        } else if (Files.exists(one) && isBeside(one, other) && Files.exists(other) && !isSame(one, other)) {
            ModelChanges.exchange(one, other);
        }
    }

    private void moveOut(Path file) throws IOException {
        if (Files.exists(file) && isBeside(file, top.resolve("a")) && !unseenLinks.contains(file)) {
            if (opensByHandle && knownBefore.contains(key(file))) {
                noticed.add(key(file)); // the next shipper finds it wherever it is
            }
            lastOf(file);
            outside.take(file);
        }
    }

    /** Says whether the directories of two names are there and in one file system. */
    private static boolean isBeside(Path one, Path other) throws IOException {
        return Files.isDirectory(other.getParent())
                && Files.getAttribute(one.getParent(), "unix:dev")
                        .equals(Files.getAttribute(other.getParent(), "unix:dev"));
    }

    private void link(Path from, Path to) throws IOException {
        if (Files.exists(from) && isBeside(from, to) && !Files.exists(to)) {
            Files.createLink(to, from);
            unseenLinks.add(to);
        }
    }

    private void unlink(Path file, ModelOperation o) throws IOException {
        if (o.kind() == ModelOperation.Kind.UNLINK_OPEN) {
            unlinkOpen(o, file);
        } else if (Files.exists(file)) {
            if (o.kind() == ModelOperation.Kind.APPEND_UNLINK) {
                append(file, bytes.of(o));
            }
            close(o.file());
            unmap(o.file());
            lastOf(file);
            Files.delete(file);
        }
    }

    /** Takes the last name of a file that somebody has open for writing. */
    private void unlinkOpen(ModelOperation o, Path file) throws IOException {
        open(o, file);
        Opened there = open.get(o.file());
        boolean isLast = there != null
                && Files.exists(file)
                && (int) Files.getAttribute(file, "unix:nlink") == 1
                && there.key.equals(key(file));
        if (isLast) {
            if (known.contains(there.key)) {
                Fd reader = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
                orphans.put(o.file(), new Orphan(top.relativize(file).toString(), reader));
            }
            Files.delete(file);
        }
    }

    /** Returns the content of files that no longer have a name but a writer that the shipper can see. */
    List<Last> orphans() throws IOException {
        List<Last> held = new ArrayList<>();
        for (Orphan each : orphans.values()) {
            held.add(new Last(each.name, each.content()));
        }
        return held;
    }

    /** Notes what a file holds whose last name goes now. */
    private void lastOf(Path file) throws IOException {
        if (Files.exists(file)
                && (int) Files.getAttribute(file, "unix:nlink") == 1
                && (known.contains(key(file)) || noticed.contains(key(file)))
                && !isHeld(key(file))) {
            lasts.add(new Last(top.relativize(file).toString(), ModelContent.of(file)));
        }
    }

    private boolean isHeld(Object key) {
        return open.values().stream().anyMatch(each -> each.key.equals(key))
                || mapped.values().stream().anyMatch(each -> each.key.equals(key));
    }

    /** Returns which file it is: another one may have its inode number soon. */
    private static Object key(Path file) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:ino,creationTime,dev");
        return attributes.get("ino") + " " + attributes.get("creationTime") + " " + attributes.get("dev");
    }

    private void copyTruncate(ModelOperation o) throws IOException {
        Path from = path(o.file());
        if (copy(from, path(o.other()), o.file() != o.other())) {
            rewrite(from, new byte[0]);
        }
    }

    private void appendCopyTruncate(ModelOperation o, Path from, Path to) throws IOException {
        boolean isKnown = Files.exists(from)
                && known.contains(key(from))
                && isShipped(from)
                && !Files.exists(to)
                && o.content() == ModelOperation.Content.LINES;
        if (isKnown && isUnlike(from)) {
            append(from, bytes.of(o));
            ModelContent whole = ModelContent.of(from);
            long inode = (long) Files.getAttribute(from, "unix:ino");
            if (copy(from, to, true)) {
                cuts.add(new Cut(top.relativize(from).toString(), inode, whole));
                rewrite(from, new byte[0]);
            }
        }
    }

    /** Says whether the shipper has seen what the file holds, and enough of it to know it by. */
    private boolean isShipped(Path file) throws IOException {
        ModelContent before = earlier.get(top.relativize(file).toString());
        return before != null
                && before.length() >= BLOCK_BYTES
                && before.isSmall()
                && Files.size(file) == before.length()
                && Arrays.equals(before.bytes(), Files.readAllBytes(file));
    }

    /** Says whether no other file begins like this one. */
    private boolean isUnlike(Path file) throws IOException {
        byte[] head = head(ModelContent.of(file));
        int alike = 0;
        for (ModelContent each : contents().values()) {
            alike += Arrays.equals(head(each), head) ? 1 : 0;
        }
        return alike == 1;
    }

    private static byte[] head(ModelContent content) {
        return content.pieces().isEmpty() ? new byte[0] : Arrays.copyOf(content.bytes(), BLOCK_BYTES);
    }

    private Path directory(ModelOperation o) {
        return top.resolve(o.file() % 2 == 0 ? "d" : "e");
    }

    private void unmount(Path directory) throws IOException {
        if (mounts.isMounted(directory)) {
            String device = " " + Files.getAttribute(directory, "unix:dev");
            for (String name : contents().keySet()) {
                if (top.resolve(name).startsWith(directory)) {
                    lastOf(top.resolve(name));
                }
            }
            for (Map.Entry<Integer, Orphan> each : Map.copyOf(orphans).entrySet()) {
                if (top.resolve(each.getValue().name).startsWith(directory)) {
                    leaves(each.getKey());
                }
            }
            mounts.unmount(directory);
            known.removeIf(key -> key.toString().endsWith(device)); // the number may be another's soon
            noticed.removeIf(key -> key.toString().endsWith(device));
        }
    }

    private void renameDirectory() throws IOException {
        if (mounts.isMounted(top.resolve("d")) || mounts.isMounted(top.resolve("e"))) {
            return;
        }
        Path from = top.resolve(Files.isDirectory(top.resolve("d")) ? "d" : "e");
        Path to = top.resolve(from.endsWith("d") ? "e" : "d");
        if (Files.isDirectory(from) && !Files.exists(to)) {
            Files.move(from, to);
        } else if (Files.isDirectory(to)) { // the way back, and a swap: over a third name
            Path third = top.resolve("g");
            Files.move(from, third);
            Files.move(to, from);
            Files.move(third, to);
        }
    }

    private void map(int number, Path file) throws IOException {
        if (!mapped.containsKey(number) && Files.exists(file) && Files.size(file) > 0) {
            RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw");
            Arena arena = Arena.ofConfined();
            MemorySegment bytes = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, open.length(), arena);
            mapped.put(number, new Mapped(key(file), open, arena, bytes));
        }
    }

    private void store(ModelOperation o) throws IOException {
        Mapped there = mapped.get(o.file());
        if (there != null && there.file.length() >= there.bytes.byteSize()) {
            long place = Math.min(there.bytes.byteSize() - 1, place(there.bytes.byteSize(), o));
            byte before = there.bytes.get(ValueLayout.JAVA_BYTE, place);
            there.bytes.set(ValueLayout.JAVA_BYTE, place, (byte) (before + 1));
        }
    }

    private void unmap(int number) throws IOException {
        Mapped there = mapped.remove(number);
        if (there != null) {
            there.arena.close();
            there.file.close();
        }
    }

    private void open(ModelOperation o, Path file) throws IOException {
        if (!open.containsKey(o.file())) {
            boolean appends = o.length() % 2 == 0;
            FileChannel channel = appends
                    ? FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                    : FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_WRONLY, 0);
            open.put(o.file(), new Opened(key(file), channel, fd, appends));
        }
    }

    /** Writes through the descriptor raise events of a name that does not exist. */
    private void linkNameless(ModelOperation o, Path file) throws IOException {
        if (open.containsKey(o.file()) || Files.exists(file)) {
            return;
        }
        Pathname directory = Pathname.of(file.getParent().toString());
        Fd nameless = Fd.open(directory, O_TMPFILE | Fd.O_RDWR, 0644);
        try (Directory to = Directory.open(directory)) {
            FileChannel channel =
                    FileChannel.open(Path.of("/proc/self/fd/" + nameless.value()), StandardOpenOption.WRITE);
            channel.write(ByteBuffer.wrap(bytes.of(o)));
            to.tryLink(nameless, Pathname.of(file.getFileName().toString()));
            open.put(o.file(), new Opened(key(file), channel, nameless, false));
        }
    }

    private void writeAsync(ModelOperation o) throws IOException {
        Opened there = open.get(o.file());
        if (there != null) {
            long size = there.channel.size();
            ModelAsync.write(there.fd, bytes.of(o), o.writesInside() ? place(size, o) : size);
        }
    }

    private void writeOpen(ModelOperation o) throws IOException {
        Opened there = open.get(o.file());
        if (there != null) {
            ByteBuffer added = ByteBuffer.wrap(bytes.of(o));
            if (there.appends) {
                there.channel.write(added);
            } else {
                long size = there.channel.size();
                there.channel.write(added, o.writesInside() ? place(size, o) : size);
            }
        }
    }

    private void close(int number) throws IOException {
        Opened there = open.remove(number);
        if (there != null) {
            there.channel.close();
            there.fd.close();
        }
        leaves(number);
    }

    /** Notes that nobody reaches a file without a name any longer. */
    private void leaves(int number) throws IOException {
        Orphan orphan = orphans.remove(number);
        if (orphan != null) {
            lasts.add(new Last(orphan.name, orphan.content()));
            orphan.reader.close();
        }
    }

    /** Writes a file that fills the shipper's memory; false when that was done often enough. */
    boolean fill() throws IOException {
        unnoticed = true;
        return fillers.write();
    }

    /** The machine died: files come back shorter, with zeros in them, or as they were. */
    void machineCrash(ModelOperation o) throws IOException {
        unnoticed = true;
        closeAll();
        mounts.close();
        lasts.clear();
        RandomGenerator random = Seeds.random(o.at() * 7919L + o.length());
        for (Map.Entry<String, ModelContent> each : contents().entrySet()) {
            Path file = top.resolve(each.getKey());
            long now = each.getValue().length();
            ModelContent before = earlier.get(each.getKey());
            switch (random.nextInt(5)) {
                case 0 -> change(file, open -> open.setLength(random.nextLong(now + 1)));
                case 1 -> {
                    if (before != null && before.isSmall()) {
                        rewrite(file, before.bytes());
                    }
                }
                case 2 ->
                    change(file, open -> {
                        long start = random.nextLong(now + 1);
                        open.seek(start);
                        open.write(new byte[random.nextInt((int) Math.min(MAX_ZEROED_BYTES, now - start) + 1)]);
                    });
                default -> {} // came back whole
            }
        }
    }

    /** Notes that the shipper may have seen what was linked. */
    void isSeen() {
        unseenLinks.clear();
    }

    /** Notes that the shipper has seen each name there is, and may have read nothing. */
    void isNoticed() throws IOException {
        if (!unnoticed) {
            return;
        }
        unnoticed = false;
        noticed.clear();
        for (Path each : ModelFillers.files(top)) {
            noticed.add(key(each));
        }
    }

    /** Notes that the shipper has seen all there is. */
    void isKnown() throws IOException {
        earlier = contents();
        known.clear();
        knownBefore.clear();
        for (String name : earlier.keySet()) {
            known.add(key(top.resolve(name)));
        }
    }

    /** Notes that the shipper that looked at the files no longer does. */
    void isForgotten() {
        knownBefore.addAll(known);
        known.clear();
        noticed.clear();
        unnoticed = true;
        lasts.clear();
        cuts.clear();
        for (Orphan each : orphans.values()) {
            each.reader.close();
        }
        orphans.clear();
    }

    /** Returns every file with its bytes. */
    Map<String, ModelContent> contents() throws IOException {
        Map<String, ModelContent> contents = new TreeMap<>();
        for (Path each : ModelFillers.files(top)) {
            contents.put(top.relativize(each).toString(), ModelContent.of(each));
        }
        return contents;
    }

    private void closeAll() throws IOException {
        for (Integer number : List.copyOf(open.keySet())) {
            close(number);
        }
        for (Integer number : List.copyOf(mapped.keySet())) {
            unmap(number);
        }
    }

    @Override
    public void close() throws IOException {
        closeAll();
        mounts.close();
    }
}
