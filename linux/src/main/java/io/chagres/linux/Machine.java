package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * What this machine says about itself; an empty string where it does not tell. Immutable.
 *
 * @param bootId changes with every boot, see random(4)
 * @param machineId stays for the life of an installation and is copied with its disk, see machine-id(5)
 * @param productUuid the firmware's id of the (virtual) machine; only root may read it
 * @param hostname the host name
 * @param kernelRelease such as {@code 6.12.0-1}
 */
public record Machine(String bootId, String machineId, String productUuid, String hostname, String kernelRelease) {
    /** Numbers of some kernel interfaces differ between the two architectures; all others are alike. */
    static final boolean IS_AARCH64 = System.getProperty("os.arch").equals("aarch64");

    private static final int MAX_BYTES = 4096;

    /**
     * Reads the state of now.
     *
     * @return a new description
     */
    public static Machine current() {
        return new Machine(
                firstLine("/proc/sys/kernel/random/boot_id"),
                firstLine("/etc/machine-id"),
                firstLine("/sys/class/dmi/id/product_uuid"),
                firstLine("/proc/sys/kernel/hostname"),
                firstLine("/proc/sys/kernel/osrelease"));
    }

    private static String firstLine(String path) {
        int value = Fd.tryOpen(Pathname.of(path), Fd.O_RDONLY, 0);
        if (value < 0) {
            return "";
        }
        try (Fd fd = Fd.ofValue(value);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(MAX_BYTES);
            long length = fd.preadFully(buffer, 0, MAX_BYTES, 0);
            byte[] bytes = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            return new String(bytes, StandardCharsets.UTF_8).lines().findFirst().orElse("").strip();
        } catch (ErrnoException e) {
            return "";
        }
    }
}
