package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An archive as a user sees it: through the program's reading commands.
 *
 * @param address the archive's address, as the program gets it
 * @param store the directory in which its objects lie as files
 * @param scratch where it is restored
 * @param environment what a process needs to reach it
 * @param program the program's command line; empty to run the commands in this JVM
 */
record Archive(String address, Path store, Path scratch, Map<String, String> environment, List<String> program) {
    /** Makes one that is a directory. */
    Archive(Path store, Path scratch) {
        this(store.toString(), store, scratch, Map.of(), List.of());
    }

    /** Returns the same archive, read by a process of its own, which another program starts if one is named. */
    Archive through(String... prefix) {
        List<String> line = new ArrayList<>(List.of("env"));
        environment.forEach((name, value) -> line.add(name + "=" + value));
        line.addAll(List.of(prefix));
        line.addAll(Chagres.command());
        return new Archive(address, store, scratch, environment, line);
    }

    /** Returns the same archive under another address. */
    Archive at(String other) {
        return new Archive(other, store, scratch, environment, program);
    }

    /** Runs a reading command on this archive, whatever its exit code. */
    Program run(String command, String... arguments) {
        List<String> line = new ArrayList<>(program);
        line.add(command);
        line.add(address);
        line.addAll(List.of(arguments));
        return program.isEmpty() ? Chagres.run(line) : Program.run(line);
    }

    /** Runs a reading command that must succeed and returns its output. */
    byte[] ok(String command, String... arguments) {
        Program program = run(command, arguments);
        assertThat(program.exitCode())
                .as("chagres %s: %s%s", command, new String(program.out(), StandardCharsets.UTF_8), program.err())
                .isZero();
        return program.out();
    }

    /** Fails unless every checksum, link of the chain and reference is right. */
    void verify() {
        ok("verify");
    }

    byte[] cat(String address) {
        return ok("cat", address);
    }

    String list(String... arguments) {
        return new String(ok("ls", arguments), StandardCharsets.UTF_8);
    }

    /** Returns how many commits the archive holds: the cheapest sign of progress. */
    long commits() {
        long commits = 0;
        String[] hosts = store.resolve("hosts").toFile().list();
        for (String host : hosts == null ? new String[0] : hosts) {
            String[] log =
                    store.resolve("hosts").resolve(host).resolve("log").toFile().list();
            commits += log == null ? 0 : log.length;
        }
        return commits;
    }

    /** Waits until more commits are there. */
    void awaitCommits(long atLeast) {
        Await.until(atLeast + " commits", () -> commits() >= atLeast);
    }

    /** Restores everything into a new directory and returns it; hosts are directly below. */
    Path restore(String... options) {
        try {
            Path target = Files.createTempDirectory(scratch, "restored");
            List<String> arguments = new ArrayList<>(List.of(target.toString()));
            arguments.addAll(List.of(options));
            ok("restore", arguments.toArray(String[]::new));
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Restores the one host that can be read of an archive that may lack commits, which are named then, and returns its
     * directory: a host that continues a damaged one of its name has its id in the name of that.
     */
    Path restoreAsItIs() {
        try {
            Path target = Files.createTempDirectory(scratch, "restored");
            Program restore = run("restore", target.toString());
            if (restore.exitCode() != 0) {
                assertThat(restore.exitCode()).as(restore.err()).isEqualTo(1);
                assertThat(restore.err()).contains("it is missing", "everything else is restored");
            }
            try (Stream<Path> hosts = Files.list(target)) {
                List<Path> all = hosts.toList();
                assertThat(all).as(restore.err()).hasSize(1);
                return all.getFirst();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the files below a directory that a predicate takes. */
    static List<Path> files(Path tree, Predicate<Path> which) {
        try (Stream<Path> paths = Files.walk(tree)) {
            return paths.filter(path -> Files.isRegularFile(path, java.nio.file.LinkOption.NOFOLLOW_LINKS))
                    .filter(which)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
