package io.chagres.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;

/**
 * Says what a test needs of the machine. Where it is absent the test is skipped with one line; with
 * {@code CHAGRES_SKIPS_FAIL=1} in the environment it fails, so that nothing is skipped unseen where all is installed.
 */
public final class Requires {
    private static final boolean SKIPS_FAIL = "1".equals(System.getenv("CHAGRES_SKIPS_FAIL"));
    private static final Path FUSE = Path.of("/dev/fuse");

    /** The packages of Debian that hold programs of another name. */
    private static final Map<String, String> PACKAGES = Map.ofEntries(
            Map.entry("fallocate", "util-linux"),
            Map.entry("flock", "util-linux"),
            Map.entry("fsfreeze", "util-linux"),
            Map.entry("fusermount3", "fuse3"),
            Map.entry("llvm-mc", "llvm"),
            Map.entry("mkfifo", "coreutils"),
            Map.entry("mkfs.btrfs", "btrfs-progs"),
            Map.entry("mkfs.ext4", "e2fsprogs"),
            Map.entry("mkfs.vfat", "dosfstools"),
            Map.entry("mkfs.xfs", "xfsprogs"),
            Map.entry("prlimit", "util-linux"),
            Map.entry("rsyslogd", "rsyslog"),
            Map.entry("script", "util-linux"),
            Map.entry("setpriv", "util-linux"),
            Map.entry("taskset", "util-linux"),
            Map.entry("unshare", "util-linux"));

    private Requires() {}

    /** Needs the superuser. */
    public static void root() {
        check("the superuser (sudo)", "0".equals(userId()));
    }

    /** Needs a program of the system. */
    public static void tool(String name) {
        tool(name, "apt install " + PACKAGES.getOrDefault(name, name));
    }

    /**
     * Needs a program in the PATH.
     *
     * @param install the command that installs it
     */
    public static void tool(String name, String install) {
        boolean found = Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder.isEmpty() ? "." : folder, name))
                .anyMatch(Files::isExecutable);
        check(name + " (" + install + ")", found);
    }

    /**
     * Needs a program that {@code go install} makes: looks in the folder that {@code CHAGRES_TEST_BIN} names, in the
     * PATH and where {@code go install} puts programs.
     *
     * @param module what to install, with its version
     * @return its path
     */
    public static Path goProgram(String name, String module) {
        List<String> folders = new ArrayList<>();
        folders.add(System.getenv().getOrDefault("GOBIN", ""));
        String goPath = System.getenv().getOrDefault("GOPATH", "");
        folders.add(goPath.isEmpty() ? "" : goPath.split(":")[0] + "/bin");
        folders.add(home() + "/go/bin");
        return program(name, folders, "go install " + module);
    }

    /**
     * Needs a program that {@code cargo install} makes: looks in the folder that {@code CHAGRES_TEST_BIN} names, in the
     * PATH and where {@code cargo install} puts programs.
     *
     * @param crate what to install, with its version
     * @return its path
     */
    public static Path cargoProgram(String name, String crate) {
        String cargo = System.getenv().getOrDefault("CARGO_HOME", "");
        List<String> folders = List.of(cargo.isEmpty() ? "" : cargo + "/bin", home() + "/.cargo/bin");
        return program(name, folders, "cargo install --locked " + crate);
    }

    /** The home that installers put programs below; the JVM's own is from the list of users. */
    private static String home() {
        return System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
    }

    /**
     * Needs a program that {@code npm install --global} makes: looks in the folder that {@code CHAGRES_TEST_BIN} names
     * and in the PATH.
     *
     * @param module what to install, with its version
     * @return its path
     */
    public static Path npmProgram(String name, String module) {
        return program(name, List.of(), "npm install --global " + module);
    }

    private static Path program(String name, List<String> besides, String install) {
        List<String> folders = new ArrayList<>();
        folders.add(System.getenv().getOrDefault("CHAGRES_TEST_BIN", ""));
        folders.addAll(List.of(System.getenv("PATH").split(":")));
        folders.addAll(besides);
        Path found = folders.stream()
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        check(name + " (" + install + ")", found != null);
        return Objects.requireNonNull(found);
    }

    /** Needs a command to succeed: what the kernel or its settings may forbid. */
    public static void works(List<String> command) {
        check(String.join(" ", command) + " to work", Program.run(command).exitCode() == 0);
    }

    /**
     * Needs a module of Python.
     *
     * @param requirement what {@code pip install} installs, with its version
     */
    public static void pythonModule(String name, String requirement) {
        int exitCode = Program.run(List.of("python3", "-c", "import " + name)).exitCode();
        check("Python's " + name + " (pip install " + requirement + ")", exitCode == 0);
    }

    /** Needs a file system of the running kernel. */
    public static void kernelFileSystem(String name) {
        boolean there;
        try {
            there = Files.readAllLines(Path.of("/proc/filesystems")).stream()
                    .anyMatch(line -> line.endsWith("\t" + name));
        } catch (java.io.IOException e) {
            there = false;
        }
        kernel(name, there);
    }

    /** Needs something of the running kernel. Nobody can install that for a test, so its absence never fails. */
    public static void kernel(String what, boolean there) {
        optional(what + " in the kernel", there);
    }

    /** Needs something that tests cannot be expected to find anywhere, so that its absence never fails. */
    public static void optional(String what, boolean there) {
        Assumptions.assumeTrue(there, "skipped: needs " + what);
    }

    /**
     * Needs something that every kernel of today has unless it is forbidden there. A mistake of ours could look like
     * that, so its absence fails where skips fail.
     */
    public static void allowed(String what, boolean there) {
        check(what, there);
    }

    /**
     * Needs a folder that is not in memory only. A tmpfs refuses reads that may not wait, reads in another order and
     * limits files otherwise. Nobody can install a disk for a test, so its absence never fails.
     */
    public static void disk(Path folder) {
        String type;
        try {
            type = Files.getFileStore(folder).type();
        } catch (java.io.IOException e) {
            type = e.toString();
        }
        Assumptions.assumeTrue(
                !type.equals("tmpfs"), "skipped: needs temporary files on a disk, and java.io.tmpdir is a tmpfs");
    }

    /** Needs loop devices. */
    public static void loopDevices() {
        root();
        check("loop devices (modprobe loop)", Files.exists(Path.of("/dev/loop-control")));
    }

    /** Needs the device that FUSE servers talk to the kernel by. */
    public static void fuse() {
        check("/dev/fuse (modprobe fuse; in a container: --device /dev/fuse)", Files.exists(FUSE));
        check("/dev/fuse that can be written (chmod 666 /dev/fuse)", Files.isWritable(FUSE));
    }

    /** Needs what lets the superuser start FUSE servers as another user: fusermount opens the device as that user. */
    public static void fuseForEverybody() {
        root();
        fuse();
        tool("fusermount3");
        tool("setpriv");
        check("/dev/fuse that everybody can write (chmod 666 /dev/fuse)", (mode(FUSE) & 06) == 06);
    }

    private static int mode(Path file) {
        try {
            return (int) Files.getAttribute(file, "unix:mode");
        } catch (java.io.IOException e) {
            return 0;
        }
    }

    /** Needs FUSE over io_uring, which is off unless the superuser turns it on. */
    public static void fuseOverIoUring() {
        fuse();
        Path parameter = Path.of("/sys/module/fuse/parameters/enable_uring");
        kernel("FUSE over io_uring", Files.exists(parameter));
        String value;
        try {
            value = Files.readString(parameter).strip();
        } catch (java.io.IOException e) {
            value = e.toString();
        }
        check("Y in " + parameter + " (echo Y | sudo tee " + parameter + ")", value.equals("Y"));
    }

    private static String userId() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
        } catch (java.io.IOException e) {
            return "";
        }
    }

    private static void check(String what, boolean there) {
        if (!there && SKIPS_FAIL) {
            throw new AssertionError("needs " + what + ", and CHAGRES_SKIPS_FAIL=1 forbids skipping");
        }
        Assumptions.assumeTrue(there, "skipped: needs " + what);
    }
}
