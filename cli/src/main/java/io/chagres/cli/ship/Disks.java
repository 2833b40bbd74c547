package io.chagres.cli.ship;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The disks below a block device: the disk of a partition, those of a volume that the device mapper or md makes, and
 * the disk of the file behind a loop device. Source: sysfs, {@code Documentation/ABI/stable/sysfs-block} in the kernel.
 * Immutable.
 */
final class Disks {
    /** More layers than anybody stacks; a loop device may lie in a file of itself. */
    private static final int MAX_LAYERS = 8;

    private final Path devices;
    private final Function<Path, @Nullable String> deviceOfFile;

    /**
     * Finds them.
     *
     * @param devices a directory that has a link for each block device, called {@code major:minor}
     * @param deviceOfFile the block device that holds a file, as it is called there; null when nobody can say
     */
    Disks(Path devices, Function<Path, @Nullable String> deviceOfFile) {
        this.devices = devices;
        this.deviceOfFile = deviceOfFile;
    }

    /** Returns the directories of sysfs of the disks below a device; empty when nobody can say. */
    Set<Path> of(String device) {
        Set<Path> found = new TreeSet<>();
        try {
            add(devices.resolve(device).toRealPath(), MAX_LAYERS, found);
        } catch (IOException e) {
            found.clear(); // no sysfs, or a file system of no block device
        }
        return found;
    }

    private void add(Path device, int layers, Set<Path> found) throws IOException {
        if (layers == 0) {
            return;
        }
        if (Files.exists(device.resolve("partition"))) {
            add(device.resolve("..").toRealPath(), layers - 1, found);
            return;
        }
        Path backing = device.resolve("loop/backing_file");
        String below = !Files.exists(backing)
                ? null
                : deviceOfFile.apply(Path.of(
                        Files.readString(backing, StandardCharsets.UTF_8).stripTrailing()));
        if (below != null) {
            add(devices.resolve(below).toRealPath(), layers - 1, found);
            return;
        }
        boolean isDisk = true;
        Path slaves = device.resolve("slaves");
        if (Files.isDirectory(slaves)) {
            try (DirectoryStream<Path> each = Files.newDirectoryStream(slaves)) {
                for (Path slave : each) {
                    isDisk = false;
                    add(slave.toRealPath(), layers - 1, found);
                }
            }
        }
        if (isDisk) {
            found.add(device);
        }
    }
}
