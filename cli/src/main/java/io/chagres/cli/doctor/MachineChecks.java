package io.chagres.cli.doctor;

import io.chagres.linux.Machine;
import io.chagres.linux.ResourceLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The checks of {@code doctor} that concern the whole machine. */
final class MachineChecks {
    private static final int MIN_JAVA = 25;
    private static final int MIN_KERNEL = 506; // openat2(2)
    private static final long MIN_WATCHES = 65_536;
    private static final long MIN_INSTANCES = 128;
    private static final long MIN_QUEUE = 16_384;
    private static final long MIN_OPEN_FILES = 4096;
    /** Bit 2, see linux/capability.h. */
    private static final long CAP_DAC_READ_SEARCH = 1 << 2;

    private static final String INOTIFY = "/proc/sys/fs/inotify/";

    private MachineChecks() {}

    /** Adds every finding. */
    static void run(Diagnosis diagnosis) {
        Machine machine = Machine.current();
        java(diagnosis);
        kernel(diagnosis, machine.kernel());
        inotify(diagnosis, "max_user_watches", MIN_WATCHES, 1_048_576, "one is needed for each directory");
        inotify(diagnosis, "max_user_instances", MIN_INSTANCES, 512, "one is needed for each shipper or watcher");
        inotify(diagnosis, "max_queued_events", MIN_QUEUE, 131_072, "a longer queue means fewer rescans");
        descriptors(diagnosis);
        identity(diagnosis, machine);
        user(diagnosis);
    }

    private static void java(Diagnosis diagnosis) {
        String version = Runtime.version() + " (" + System.getProperty("java.vendor") + ")";
        if (Runtime.version().feature() >= MIN_JAVA) {
            diagnosis.ok("java", version);
        } else {
            diagnosis.fail("java", version, "install a JDK " + MIN_JAVA + " or newer and set JAVA_HOME");
        }
    }

    private static void kernel(Diagnosis diagnosis, String release) {
        Matcher version = Pattern.compile("(\\d+)\\.(\\d+)").matcher(release);
        boolean recent = version.find()
                && Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2)) >= MIN_KERNEL;
        String lacks = recent ? "" : ": no openat2, archives are read component by component";
        diagnosis.expect(recent, "kernel", release + lacks, "use Linux 5.6 or newer");
    }

    private static void inotify(Diagnosis diagnosis, String name, long least, long proposed, String why) {
        String check = "inotify " + name;
        String text = Machine.read(INOTIFY + name);
        if (text.isEmpty()) {
            diagnosis.fail(check, INOTIFY + name + " cannot be read", "use a kernel with inotify, or --poll 1s");
            return;
        }
        long value = Long.parseLong(text);
        String fix = "sysctl -w fs.inotify." + name + "=" + proposed;
        diagnosis.expect(value >= least, check, value + " (" + why + ")", fix);
    }

    private static void descriptors(Diagnosis diagnosis) {
        long hard = ResourceLimit.openFilesHard();
        diagnosis.expect(
                hard < 0 || hard >= MIN_OPEN_FILES,
                "open files",
                (hard < 0 ? "no limit" : hard + " at most") + ", " + ResourceLimit.openFilesSoft()
                        + " now (ship raises it)",
                "ulimit -Hn 65536, or LimitNOFILE=65536 in the systemd unit");
    }

    private static void identity(Diagnosis diagnosis, Machine machine) {
        boolean known = !machine.machineId().isEmpty();
        diagnosis.expect(
                known,
                "machine id",
                known ? machine.machineId() : "/etc/machine-id is missing or empty",
                "systemd-machine-id-setup");
        boolean hardware = !machine.productUuid().isEmpty();
        diagnosis.expect(
                hardware,
                "hardware id",
                hardware
                        ? machine.productUuid()
                        : "not readable: a copied machine is told from its original only when both write",
                "give each copy its own --host and --state");
    }

    /** Returns the user's name; in a container there may be only a number. */
    private static String userName() {
        String name = System.getProperty("user.name", "?");
        try {
            return name.equals("?") ? "user " + Files.getAttribute(Path.of("/proc/self"), "unix:uid") : name;
        } catch (IOException e) {
            return name;
        }
    }

    private static void user(Diagnosis diagnosis) {
        String name = userName();
        boolean reads = (effectiveCapabilities() & CAP_DAC_READ_SEARCH) != 0;
        diagnosis.expect(
                reads,
                "user",
                name + (reads ? ", may read every file" : ": files of other users may be unreadable"),
                "AmbientCapabilities=CAP_DAC_READ_SEARCH in the unit (packaging/chagres.service), or a group that may"
                        + " read them");
    }

    /** Returns the set of this process, see capabilities(7). */
    private static long effectiveCapabilities() {
        try {
            Matcher set =
                    Pattern.compile("CapEff:\\s*([0-9a-f]+)").matcher(Files.readString(Path.of("/proc/self/status")));
            return set.find() ? Long.parseUnsignedLong(set.group(1), 16) : 0;
        } catch (IOException e) {
            return 0; // without /proc nothing is known
        }
    }
}
