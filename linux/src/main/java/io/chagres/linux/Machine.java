package io.chagres.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Tells which machine this is. Values that cannot be read are empty. Immutable.
 *
 * @param hostName the kernel's host name
 * @param machineId /etc/machine-id: copied with an image
 * @param productUuid the DMI product UUID: differs between clones; root only
 * @param bootId changes with every boot
 * @param kernel the kernel's release
 */
public record Machine(String hostName, String machineId, String productUuid, String bootId, String kernel) {
    private static final int MAX_BYTES = 4096;

    /** Looks at this machine. */
    public static Machine current() {
        return new Machine(
                read("/proc/sys/kernel/hostname"),
                read("/etc/machine-id"),
                read("/sys/class/dmi/id/product_uuid"),
                read("/proc/sys/kernel/random/boot_id"),
                read("/proc/sys/kernel/osrelease"));
    }

    /** Returns the text of a small file without surrounding white space; empty when it cannot be read. */
    public static String read(String path) {
        int fd = Fd.tryOpen(Pathname.of(path), Fd.O_RDONLY, 0);
        if (fd < 0) {
            return "";
        }
        try (Fd file = Fd.ofValue(fd);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(MAX_BYTES);
            long length = Math.max(0, file.read(buffer, 0, MAX_BYTES));
            byte[] bytes = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            return new String(bytes, StandardCharsets.UTF_8).strip();
        }
    }
}
