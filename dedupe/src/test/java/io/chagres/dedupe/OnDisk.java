package io.chagres.dedupe;

import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests on a file system of their own, each in a new directory. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("it")
abstract class OnDisk {
    final String fileSystem;
    private final String options;
    private final String[] mkfs;
    Mounted disk;
    int tests;
    Path top;

    OnDisk(String fileSystem, String options, String... mkfs) {
        this.fileSystem = fileSystem;
        this.options = options;
        this.mkfs = mkfs;
    }

    @BeforeAll
    void mount(@TempDir Path temp) {
        Requires.loopDevices();
        Requires.tool(mkfs[0]);
        Requires.kernelFileSystem(fileSystem);
        disk = Mounted.directFileSystem(temp.resolve("image"), temp.resolve("disk"), "1G", options, mkfs);
    }

    @AfterAll
    void unmount() {
        if (disk != null) {
            disk.close();
        }
    }

    @BeforeEach
    void makeTop() throws IOException {
        top = Files.createDirectory(disk.directory().resolve("test" + tests++));
    }

    @AfterEach
    void clean() {
        Program.run(List.of("chattr", "-R", "-f", "-i", top.toString())); // fails for symbolic links
        Program.ok("rm", "-rf", top.toString());
    }

    static byte[] random(int seed, int length) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    Path file(String name, byte[] content) throws IOException {
        return Files.write(top.resolve(name), content);
    }

    /** Writes everything out, so that all data has its place. */
    void sync() {
        Program.ok("sync", "-f", top.toString());
    }
}
