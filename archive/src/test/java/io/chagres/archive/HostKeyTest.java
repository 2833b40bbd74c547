package io.chagres.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests the keys by which hosts are found. */
class HostKeyTest {
    private static final String ID = "00ff00ff00ff00ff";

    @Test
    void holdsAnyName() {
        for (String name :
                List.of("web1", "a.b-c", "a_b", "a~b", "\u00e4/\u00f6\u0000", "_5F", "", "..", "%41", "\ud83d\ude00")) {
            HostKey key = new HostKey(name, -1, 0, ID);
            assertThat(key.text()).startsWith("names/").matches("names/[A-Za-z0-9._-]*~[0-9a-f-]{50}");
            assertThat(HostKey.parse(key.text())).isEqualTo(key);
        }
        assertThat(new HostKey("web1", 1, 2, ID).text())
                .isEqualTo("names/web1~0000000000000001-0000000000000002-" + ID);
    }

    @Test
    void takesNoOtherKey() {
        String ids = "~0000000000000001-0000000000000002-" + ID;
        for (String key : List.of(
                "names/web1",
                "names/web_31" + ids, // written in another way
                "names/web_zz" + ids,
                "names/web_4" + ids,
                "names/_FF" + ids, // not UTF-8
                "names/web1" + ids + "0",
                "names/web1" + ids.toUpperCase(java.util.Locale.ROOT),
                "names/web1" + ids.replace("01-", "01/"),
                "other/web1" + ids)) {
            assertThat(HostKey.parse(key)).as(key).isNull();
        }
    }

    @Test
    void neverFails() {
        RandomGenerator random = Seeds.random(Seeds.next("HostKeyTest"));
        String good = new HostKey("web_1", 3, 4, ID).text();
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder(good);
            for (int j = random.nextInt(4); j >= 0; j--) {
                text.setCharAt(random.nextInt(text.length()), (char) (32 + random.nextInt(95)));
            }
            text.setLength(random.nextInt(text.length() + 1));
            HostKey key = HostKey.parse(text.toString());
            assertThat(key == null || key.text().equals(text.toString())).isTrue();
        }
    }

    @Test
    void limitsNames() {
        assertThat(HostKey.fits("a".repeat(200))).isTrue();
        assertThat(HostKey.fits("a".repeat(201))).isFalse();
        assertThat(HostKey.fits("\u00e4".repeat(34))).isFalse();
    }
}
