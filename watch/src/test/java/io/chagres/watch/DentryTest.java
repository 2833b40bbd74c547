package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import io.chagres.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class DentryTest {
    private static final WatchedDirectory ROOT = directory(null, "/");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static WatchedDirectory directory(@org.jspecify.annotations.Nullable WatchedDirectory parent, String name) {
        return new WatchedDirectory(parent, bytes(name), 1, Scope.ALL, true);
    }

    @Test
    void pathIsThatOfAllParents() {
        WatchedDirectory a = directory(ROOT, "a");
        Dentry file = new Dentry(directory(a, "bc"), bytes("f"), 2, Directory.DT_REG, true);
        assertThat(ROOT.path()).hasToString("/");
        assertThat(a.path()).hasToString("/a");
        assertThat(file.path()).hasToString("/a/bc/f");
        assertThat(file.pathLength()).isEqualTo(7);
        byte[] scratch = new byte[16];
        java.util.Arrays.fill(scratch, (byte) 'x');
        assertThat(file.writePath(MemorySegment.ofArray(scratch)).byteSize()).isEqualTo(16);
        assertThat(new String(scratch, StandardCharsets.UTF_8)).isEqualTo("/a/bc/f\0xxxxxxxx");
    }

    @Test
    void directoryFindsWhatWasPutLikeAMap() {
        RandomGenerator random = Seeds.random(Seeds.next("directoryFindsWhatWasPutLikeAMap"));
        WatchedDirectory directory = directory(ROOT, "d");
        Map<String, Dentry> model = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            int number = random.nextInt(1 + random.nextInt(1 << random.nextInt(12)));
            String name = "n".repeat(1 + number % 97) + number;
            Dentry known = model.get(name);
            assertThat(directory.child(bytes(name))).isSameAs(known);
            if (known == null) {
                Dentry added = new Dentry(directory, bytes(name), i, Directory.DT_REG, true);
                directory.put(added);
                model.put(name, added);
            } else if (random.nextBoolean()) {
                directory.remove(known);
                model.remove(name);
                directory.remove(known);
            }
            assertThat(directory.size()).isEqualTo(model.size());
        }
        assertThat(directory.children()).containsExactlyInAnyOrderElementsOf(model.values());
        model.forEach((name, dentry) -> {
            assertThat(dentry.name()).hasToString(name);
            assertThat(dentry.path()).hasToString("/d/" + name);
            assertThat(dentry.pathLength()).isEqualTo(3 + name.length());
            assertThat(dentry.nameBytes()).isEqualTo(bytes(name));
        });
        for (Dentry each : directory.children()) {
            each.moveTo(directory, bytes("moved" + each.ino()));
        }
        for (Dentry each : model.values()) {
            assertThat(each.name()).hasToString("moved" + each.ino());
            assertThat(each.type()).isEqualTo(Directory.DT_REG);
        }
    }

    @Test
    void watchTableFindsWhatWasPutLikeAMap() {
        RandomGenerator random = Seeds.random(Seeds.next("watchTableFindsWhatWasPutLikeAMap"));
        WatchTable table = new WatchTable();
        Map<Integer, WatchedDirectory> model = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            int key = 1 + random.nextInt(1 + random.nextInt(1 << random.nextInt(12)));
            assertThat(table.get(key)).isSameAs(model.get(key));
            if (random.nextInt(3) > 0) {
                WatchedDirectory directory = directory(ROOT, "d" + i);
                table.put(key, directory);
                model.put(key, directory);
            } else {
                assertThat(table.remove(key)).isSameAs(model.remove(key));
            }
            assertThat(table.size()).isEqualTo(model.size());
        }
    }
}
