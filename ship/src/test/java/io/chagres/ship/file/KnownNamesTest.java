package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.InodeAttributes;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownNamesTest {
    private static final int STEPS = 400;
    private static final InodeAttributes DIRECTORY = new InodeAttributes(0755, 1, 2, 3);
    private static final InodeAttributes LINK = new InodeAttributes(0777, 4, 5, 6);

    private final KnownNames names = new KnownNames();
    private final Map<Pathname, KnownNames.Meaning> expected = new TreeMap<>();

    private void put(String path, KnownNames.Meaning meaning) {
        names.put(Pathname.of(path), meaning);
        expected.put(Pathname.of(path), meaning);
    }

    private static KnownNames.Meaning file(long version) {
        return new KnownNames.Meaning(version, 10 * version, null, null);
    }

    /** Three directories in each other, in the order in which an archive names them; one file comes late. */
    private void fill() {
        long version = 0;
        for (String directory : List.of("/a", "/a/b", "/a/b/c", "/d")) {
            put(directory, new KnownNames.Meaning(0, 0, DIRECTORY, null));
            put(directory + "/link", new KnownNames.Meaning(0, 0, LINK, Pathname.of("x")));
            for (int i = 0; i < 30; i++) {
                put("%s/f%02d".formatted(directory, i), file(++version));
            }
        }
        put("/d/a", file(++version)); // not behind those before
    }

    private Pathname any(Random random) {
        String directory = List.of("", "/a", "/a/b", "/a/b/c", "/d", "/e").get(random.nextInt(6));
        String name = random.nextInt(8) == 0 ? "link" : "f%02d".formatted(random.nextInt(32));
        return Pathname.of(directory.isEmpty() || random.nextInt(12) > 0 ? directory + "/" + name : directory);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void saysWhatAMapOfAllPathsWouldSay(int seed) {
        fill();
        Random random = new Random(seed);
        for (int i = 0; i < STEPS; i++) {
            Pathname path = any(random);
            KnownNames.Meaning meaning = expected.get(path);
            assertThat(names.lengthBytes(path)).isEqualTo(meaning == null ? 0 : meaning.lengthBytes());
            switch (random.nextInt(20)) {
                case 0 -> move(path, any(random));
                case 1 -> {
                    boolean had = expected.keySet().removeIf(each -> each.startsWith(path));
                    assertThat(names.removed(path, true)).isEqualTo(had);
                }
                case 2, 3 -> assertThat(names.removed(path, false)).isEqualTo(expected.remove(path) != null);
                case 4, 5, 6 -> {
                    long version = meaning == null ? 7 : meaning.versionId();
                    assertThat(names.seenFile(path, version)).isEqualTo(meaning != null && version != 0);
                    expected.remove(path);
                }
                default -> assertThat(names.isEmpty()).isEqualTo(expected.isEmpty());
            }
        }
        Pathname hidden = Pathname.of("/a/b");
        Pathname notFollowed = Pathname.of("/d");
        expected.keySet().removeIf(each -> each.startsWith(notFollowed));
        List<Pathname> unseen = new ArrayList<>(expected.keySet());
        unseen.removeIf(each -> each.startsWith(hidden));
        assertThat(names.takeUnseen(each -> !each.startsWith(notFollowed), each -> each.startsWith(hidden)))
                .containsExactlyElementsOf(unseen);
        expected.keySet().removeAll(unseen);
        assertThat(names.takeUnseen(each -> true, each -> false)).containsExactlyElementsOf(expected.keySet());
        assertThat(names.isEmpty()).isTrue();
    }

    private void move(Pathname from, Pathname to) {
        if (from.startsWith(to) || to.startsWith(from)) {
            return; // the kernel refuses it
        }
        names.moved(from, to);
        Map<Pathname, KnownNames.Meaning> moved = new TreeMap<>();
        expected.forEach((path, meaning) -> {
            if (path.startsWith(from)) {
                moved.put(path.equals(from) ? to : to.resolve(path.relativeTo(from)), meaning);
            }
        });
        expected.keySet().removeIf(path -> path.startsWith(from) || path.startsWith(to));
        expected.putAll(moved);
    }

    @Test
    void aDirectoryAndALinkAreSeenByWhatTheyAre() {
        fill();
        assertThat(names.seenDirectory(Pathname.of("/a"), DIRECTORY)).isTrue();
        assertThat(names.seenDirectory(Pathname.of("/a"), DIRECTORY)).isFalse();
        assertThat(names.seenLink(Pathname.of("/a/link"), Pathname.of("y"), LINK))
                .isFalse();
        assertThat(names.seenLink(Pathname.of("/a/b/link"), Pathname.of("x"), DIRECTORY))
                .isFalse();
        assertThat(names.seenLink(Pathname.of("/a/b/c/link"), Pathname.of("x"), LINK))
                .isTrue();
        assertThat(names.seenFile(Pathname.of("/a/f00"), 2)).isFalse(); // another version's
        assertThat(names.seenFile(Pathname.of("/a/f00"), 1)).isFalse(); // it counts as seen
    }
}
