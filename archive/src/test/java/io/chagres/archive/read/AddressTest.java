package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.HostRegistry;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTest {
    private static final HostRegistry.Owner WEB1 = new HostRegistry.Owner("00ff00ff00ff00ff", "web1", 0);

    @ParameterizedTest
    @CsvSource({
        "web1:/x, true",
        "web*:/x, true",
        "*:/x, true",
        ":/x, true",
        "00ff00ff00ff00ff:/x, true",
        "00ff*:/x, true",
        "web2:/x, false",
        "web:/x, false",
    })
    void hosts(String address, boolean matches) {
        assertThat(Address.parse(address).matchesHost(WEB1)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "w:/var/log/app.log, /var/log/app.log, true",
        "w:/var/log/app.log, /other/var/log/app.log, false",
        "w:app.log, /var/log/app.log, true",
        "w:log/app.log, /var/log/app.log, true",
        "w:og/app.log, /var/log/app.log, false",
        "w:*/app.log, /demo/app.log, true",
        "w:/var/*, /var/log/app.log, false",
        "w:/var/*, /var/log, true",
        "w:/var/**, /var/log/app.log, true",
        "w:/var, /var/log/app.log, true",
        "w:/var/, /var/log/app.log, true",
        "w:/v*/, /var/log/app.log, true",
        "w:log, /var/log/a/b, true",
        "w:/, /var/log/app.log, true",
        "w:, /var/log/app.log, true",
        "w:/var, /variable, false",
        "'w:*.{log,txt}', /a/b.txt, true",
        "'w:[a-c].log', /x/b.log, true",
        "'w:[!a-c].log', /x/b.log, false",
        "w:a:b, /x/a:b, true",
    })
    void paths(String address, String path, boolean matches) {
        assertThat(Address.parse(address).matches(Pathname.of(path))).isEqualTo(matches);
    }

    @Test
    void matchesNamesThatAreNoText() {
        Pathname path = Pathname.ofBytes(new byte[] {'/', 'a', (byte) 0xff, '\n', 'b'});
        assertThat(Address.parse("*:/a*b").matches(path)).isTrue();
        assertThat(Address.parse("*:/a??b").matches(path)).isTrue();
        assertThat(Address.parse("*:/a?b").matches(path)).isFalse();
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> Address.parse("app.log"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("app.log")
                .hasMessageContaining("colon");
        assertThatThrownBy(() -> Address.parse("*:[a")).hasMessageContaining("[a");
    }

    /** The address that a command prints is of that file and of no other, whatever its name. */
    @Test
    void whatIsPrintedNamesOneFile() {
        Random random = new Random(Seeds.next("AddressTest"));
        List<Pathname> paths = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            paths.add(path(random));
        }
        for (int i = 0; i < paths.size(); i++) {
            String host = "h" + "[:*{\\,x".charAt(i % 7);
            Pathname path = paths.get(i);
            String printed = Address.of(host, path);
            Address address = Address.parse(printed);
            assertThat(address.matchesHost(new HostRegistry.Owner("00000000000000aa", host, 1)))
                    .as(printed)
                    .isTrue();
            assertThat(address.matchesHost(new HostRegistry.Owner("00000000000000aa", "hy", 1)))
                    .as(printed)
                    .isFalse();
            for (Pathname other : paths) {
                assertThat(address.matches(other))
                        .as(printed + " and " + other)
                        .isEqualTo(other.equals(path) || other.startsWith(path));
                assertThat(address.mayMatchBelow(path) || !path.equals(other)).isTrue();
            }
        }
    }

    private static Pathname path(Random random) {
        byte[] alphabet = "ab*?[]{},:!^-\\x0/1.\n\u00e9".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            path.write('/');
            for (int left = 1 + random.nextInt(4); left > 0; left--) {
                byte next = alphabet[random.nextInt(alphabet.length)];
                path.write(next == '/' || next == '.' ? 'c' : next);
            }
        }
        return Pathname.ofBytes(path.toByteArray());
    }
}
