package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The names and ids that this machine gives itself; an empty string where it gives none. Immutable.
 *
 * @param hostName the host name
 * @param machineId stays for the life of an installation and is copied with its disk, see machine-id(5)
 * @param productUuid the firmware's id of the (virtual) machine; only root may read it
 * @param bootId changes with every boot, see random(4)
 * @param kernel the release, such as {@code 6.12.0-1}
 */
public record Machine(String hostName, String machineId, String productUuid, String bootId, String kernel) {
    private static final int MAX_BYTES = 4096;

    /**
     * Reads the state of now.
     *
     * @return a new description
     */
    public static Machine current() {
        return new Machine(
                read("/proc/sys/kernel/hostname"),
                read("/etc/machine-id"),
                read("/sys/class/dmi/id/product_uuid"),
                read("/proc/sys/kernel/random/boot_id"),
                read("/proc/sys/kernel/osrelease"));
    }

    /**
     * Reads the first line of a small file, such as those of proc(5) and sysfs(5).
     *
     * @param path an absolute path
     * @return the line without white space around it; empty if the file is missing, unreadable or empty
     */
    public static String read(String path) {
        int value = Fd.tryOpen(Pathname.of(path), Fd.O_RDONLY, 0);
        if (value < 0) {
            return "";
        }
        try (Fd fd = Fd.ofValue(value);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(MAX_BYTES);
            long length = fd.preadFully(buffer, 0, MAX_BYTES, 0);
            byte[] bytes = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            return new String(bytes, StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .strip();
        } catch (ErrnoException e) {
            return "";
        }
    }
}
