package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.loopback.LoopbackFileSystem;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Suites of others, made for file systems in general, against our own. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class ConformanceTest {
    /** The versions that {@code .ci/run} installs. */
    static final List<String> CRATES = List.of("pjdfstest@0.2.2", "fsx@0.3.2");

    private static final Path EXCLUDES = Path.of("src/test/resources/pjdfstest-excludes.txt");
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final Pattern OUTCOME = Pattern.compile("(?m)^(\\S+::\\S+)\\s+(ok|FAILED|skipped)$");

    @TempDir
    private Path work;

    private Path mountPoint;

    /** The file systems that are tested. */
    enum Subject {
        /** In memory, served over /dev/fuse. */
        MEMORY,

        /** The same over io_uring. */
        MEMORY_URING,

        /** The same where the kernel collects writes. */
        MEMORY_WRITEBACK,

        /** In memory by paths, served over /dev/fuse. */
        PATHS,

        /** The same over io_uring. */
        PATHS_URING,

        /** A directory of ext4, served over /dev/fuse. */
        SERVED,

        /** The same over io_uring. */
        SERVED_URING,

        /** The same, read and written by the kernel. */
        PASSTHROUGH,

        /** The directory itself, to tell our mistakes from those of the machine and the suites. */
        BELOW;

        FuseServer mount(Path below, Path mountPoint) throws IOException {
            FuseTransport transport = name().endsWith("_URING") ? FuseTransport.IO_URING : FuseTransport.CLASSIC;
            if (transport == FuseTransport.IO_URING) {
                Requires.fuseOverIoUring();
            }
            FuseOptions memory = MemoryFs.OPTIONS.withAllowOther(true).withTransport(transport);
            FuseOptions mirror = LoopbackFileSystem.OPTIONS.withAllowOther(true).withTransport(transport);
            return switch (this) {
                case MEMORY, MEMORY_URING -> memory(mountPoint, memory);
                case MEMORY_WRITEBACK -> memory(mountPoint, memory.with(FuseFeature.WRITEBACK_CACHE));
                case PATHS, PATHS_URING ->
                    FuseServer.mount(
                            new PathMemoryFs(Clock.systemUTC()).byNodes(),
                            mountPoint,
                            PathMemoryFs.OPTIONS.withAllowOther(true).withTransport(transport));
                case SERVED, SERVED_URING -> mirror(below, mountPoint, mirror.without(FuseFeature.PASSTHROUGH));
                case PASSTHROUGH -> mirror(below, mountPoint, mirror);
                case BELOW -> throw new IllegalArgumentException("is no mount");
            };
        }

        private static FuseServer memory(Path mountPoint, FuseOptions options) throws IOException {
            return FuseServer.mount(new MemoryFs(Clock.systemUTC()), mountPoint, options);
        }

        private static FuseServer mirror(Path below, Path mountPoint, FuseOptions options) throws IOException {
            return FuseServer.mount(
                    new LoopbackFileSystem(Pathname.of(below.toString()), 1_000_000_000L), mountPoint, options);
        }
    }

    /** Something to do with a mount. */
    private interface Use {
        void of(Path directory) throws IOException;
    }

    private void on(Subject subject, Use use) throws IOException {
        Requires.root();
        Requires.fuse();
        Requires.loopDevices();
        mountPoint = Files.createDirectory(work.resolve("mount"));
        Program.ok("chmod", "755", work.toString(), mountPoint.toString());
        try (Mounted ext4 = Mounted.newFileSystem(work.resolve("image"), work.resolve("below"), "mkfs.ext4", "-q")) {
            if (subject == Subject.BELOW) {
                use.of(ext4.directory());
                return;
            }
            try (FuseServer server = subject.mount(ext4.directory(), mountPoint)) {
                use.of(mountPoint);
                assertThat(server.statistics().failures()).isZero();
                assertThat(server.statistics().refused()).isZero();
            }
        }
    }

    @AfterEach
    void detach() {
        if (mountPoint != null) {
            Program.run(List.of("umount", "--lazy", mountPoint.toString()));
        }
    }

    /** Every test of the suite passes, except those that the file of exclusions names, which fail or are skipped. */
    @ParameterizedTest
    @EnumSource
    void followsPosix(Subject subject) throws IOException {
        Path pjdfstest = Requires.cargoProgram("pjdfstest", CRATES.get(0));
        Path config = Files.writeString(work.resolve("pjdfstest.toml"), """
                [features]
                posix_fallocate = {}
                rename_ctime = {}
                utime_now = {}
                utimensat = {}
                [settings]
                naptime = 0.01
                allow_remount = false
                [dummy_auth]
                entries = [["nobody", "nogroup"], ["daemon", "daemon"]]
                """);
        Path other = Files.createDirectory(work.resolve("other"));
        on(subject, directory -> {
            try (Mounted tmpfs = Mounted.tmpfs(other, "size=1m,mode=755")) {
                List<String> command = new ArrayList<>(List.of(pjdfstest.toString(), "-c", config.toString()));
                command.addAll(List.of(
                        "-p", directory.toString(), "-s", tmpfs.directory().toString()));
                Program suite = Program.run(command);
                String out = COLOUR.matcher(new String(suite.out(), StandardCharsets.UTF_8))
                        .replaceAll("");
                Set<String> passed = new TreeSet<>();
                Set<String> others = new TreeSet<>();
                Matcher outcome = OUTCOME.matcher(out);
                while (outcome.find()) {
                    (outcome.group(2).equals("ok") ? passed : others).add(outcome.group(1));
                }
                assertThat(others).as(out + suite.err()).isEqualTo(excluded(subject));
                assertThat(passed).as(out + suite.err()).hasSizeGreaterThan(380);
            }
        });
    }

    /** Lines of {@code SUBJECT test # reason}, for all subjects whose name begins so, or {@code ALL}. */
    private static Set<String> excluded(Subject subject) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(EXCLUDES)) {
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            assertThat(line).as("a line without a reason").matches("[A-Z]+ \\S+ # \\S.*");
            String[] words = line.split(" ");
            if (words[0].equals("ALL")
                    || subject.name().startsWith(Subject.valueOf(words[0]).name())) {
                names.add(words[1]);
            }
        }
        return names;
    }

    /** Random operations on one file, compared with a copy in memory. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "BELOW")
    void keepsAFileUnderRandomUse(Subject subject) throws IOException {
        Path fsx = Requires.cargoProgram("fsx", CRATES.get(1));
        Path config = Files.writeString(work.resolve("fsx.toml"), """
                flen = 1048576
                [opsize]
                max = 131072
                [weights]
                close_open = 1
                invalidate = 1
                mapread = 5
                mapwrite = 5
                read = 10
                write = 10
                truncate = 3
                fsync = 1
                fdatasync = 1
                posix_fallocate = 2
                punch_hole = 2
                sendfile = 2
                posix_fadvise = 1
                copy_file_range = 3
                """);
        String seed = Integer.toString((int) Seeds.next("fsx " + subject) & Integer.MAX_VALUE);
        on(subject, directory -> {
            List<String> command = new ArrayList<>(List.of(fsx.toString(), "-f", config.toString()));
            command.addAll(List.of("-N", Integer.toString(Share.count(20_000)), "-S", seed, "-P", work.toString()));
            command.add(directory.resolve("file").toString());
            Program program = Program.run(command);
            assertThat(program.exitCode())
                    .as("seed %s: %s%s", seed, new String(program.out(), StandardCharsets.UTF_8), program.err())
                    .isZero();
        });
    }

    /** Several processes write what they can check, with system calls, mappings, and past the page cache. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "BELOW")
    void keepsFilesOfSeveralWriters(Subject subject) throws IOException {
        Requires.tool("fio");
        on(subject, directory -> {
            for (String engine : new String[] {"psync", "mmap", "libaio"}) {
                List<String> command = new ArrayList<>(List.of("fio", "--name=verify", "--rw=randwrite"));
                command.addAll(List.of(
                        "--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0", "--size=8m", "--numjobs=3"));
                command.addAll(List.of("--bsrange=4k-64k", "--blockalign=4k", "--randrepeat=0"));
                command.addAll(List.of("--ioengine=" + engine, "--directory=" + directory));
                command.addAll(List.of("--direct=" + (engine.equals("libaio") ? 1 : 0), "--fallocate=none"));
                Program program = Program.run(command);
                assertThat(program.exitCode())
                        .as("%s: %s%s", engine, new String(program.out(), StandardCharsets.UTF_8), program.err())
                        .isZero();
            }
        });
    }
}
