package io.chagres.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file system that a test mounts and {@link #close()} unmounts. The superuser only; tests ask
 * {@link Requires#root()} or {@link Requires#loopDevices()} first. Confined to one thread.
 */
public final class Mounted implements AutoCloseable {
    private static final long IMAGE_BYTES = 48L << 20;

    private final Path directory;
    private final @Nullable String loopDevice;
    private boolean mounted = true;

    private Mounted(Path directory, @Nullable String loopDevice) {
        this.directory = directory;
        this.loopDevice = loopDevice;
    }

    /**
     * Mounts an empty tmpfs on a directory, which is created.
     *
     * @param options mount options such as {@code size=2m,nr_inodes=50}
     */
    public static Mounted tmpfs(Path directory, String options) {
        makeDirectory(directory);
        try (Spent.Span _ = Spent.on(Spending.MOUNTS)) {
            Program.ok("mount", "-t", "tmpfs", "-o", options, "chagres-test", directory.toString());
        }
        return new Mounted(directory, null);
    }

    /** Mounts an overlay of the directories {@code lower}, {@code upper} and {@code work} of one directory. */
    public static Mounted overlay(Path layers, Path directory) {
        makeDirectory(directory);
        String options = "lowerdir=" + layers.resolve("lower") + ",upperdir=" + layers.resolve("upper") + ",workdir="
                + layers.resolve("work");
        Program.ok("mount", "-t", "overlay", "-o", options, "chagres-test", directory.toString());
        return new Mounted(directory, null);
    }

    /** Creates an ext4 image of 48 MiB. */
    public static Path ext4Image(Path image) {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        make(image, "mkfs.ext4", "-q", "-F");
        return image;
    }

    /**
     * Makes a file system of 320 MiB in a new image and mounts it.
     *
     * @param mkfs the program that makes it, with its options
     */
    public static Mounted newFileSystem(Path image, Path directory, String... mkfs) {
        Program.ok("truncate", "--size=320M", image.toString());
        make(image, mkfs);
        return image(image, directory);
    }

    /**
     * Makes a file system in a new image and mounts it so that its data goes past the page cache of the image.
     *
     * @param size of the image, as truncate(1) takes it
     * @param options mount options, such as {@code defaults}
     * @param mkfs the program that makes it, with its options
     */
    public static Mounted directFileSystem(Path image, Path directory, String size, String options, String... mkfs) {
        Program.ok("truncate", "--size=" + size, image.toString());
        make(image, mkfs);
        return looped(image, directory, options, "--direct-io=on");
    }

    private static void make(Path image, String... mkfs) {
        List<String> command = new ArrayList<>(List.of(mkfs));
        command.add(image.toString());
        try (Spent.Span _ = Spent.on(Spending.MOUNTS)) {
            Program.ok(command.toArray(String[]::new));
        }
    }

    /** Mounts a file-system image on a directory, which is created, through the next free loop device. */
    public static Mounted image(Path image, Path directory) {
        return looped(image, directory, "defaults", "--direct-io=off");
    }

    private static Mounted looped(Path image, Path directory, String options, String directIo) {
        makeDirectory(directory);
        try (Spent.Span _ = Spent.on(Spending.MOUNTS)) {
            // A mount namespace of a test beside this one may still have it mounted, with bytes that are not in the
            // image.
            Await.until("nobody has mounted " + image, () -> Program.ok("losetup", "--associated", image.toString())
                    .isEmpty());
            String device = Program.ok("losetup", "--find", "--show", directIo, image.toString())
                    .strip();
            Program mount = Program.run(List.of("mount", "-o", options, device, directory.toString()));
            if (mount.exitCode() != 0) {
                Program.ok("losetup", "--detach", device);
                throw new AssertionError("cannot mount " + image + ": " + mount.err());
            }
            return new Mounted(directory, device);
        }
    }

    /** Remounts with other options, such as {@code ro}. */
    public void remount(String options) {
        Program.ok("mount", "-o", "remount," + options, directory.toString());
    }

    /** Makes every write to it wait until {@link #thaw()}. */
    public void freeze() {
        Program.ok("fsfreeze", "--freeze", directory.toString());
    }

    /** Lets writes continue. */
    public void thaw() {
        Program.ok("fsfreeze", "--unfreeze", directory.toString());
    }

    /** Leaves no byte of it free; returns the file that takes them. */
    public Path fill() {
        Path filler = directory.resolve("filler");
        byte[] piece = new byte[4096];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(piece);
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("No space left on device")) {
                throw new UncheckedIOException(e);
            }
            return filler;
        }
    }

    /** Returns how often its loop device has written so far: the fifth number of {@code /sys/block/<device>/stat}. */
    public long writes() {
        try {
            Path device = Path.of(String.valueOf(loopDevice)).getFileName();
            String stat = Files.readString(Path.of("/sys/block", device.toString(), "stat"));
            return Long.parseLong(stat.strip().split(" +")[4]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns where it is mounted. */
    public Path directory() {
        return directory;
    }

    private static void makeDirectory(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unmounts, however busy it is, and gives the loop device back. */
    @Override
    public void close() {
        if (!mounted) {
            return;
        }
        mounted = false;
        try (Spent.Span _ = Spent.on(Spending.MOUNTS)) {
            Program.run(List.of("fsfreeze", "--unfreeze", directory.toString()));
            if (Program.run(List.of("umount", directory.toString())).exitCode() != 0) {
                Program.ok("umount", "--lazy", directory.toString());
            }
            if (loopDevice != null) {
                Program.ok("losetup", "--detach", loopDevice);
            }
        }
    }
}
