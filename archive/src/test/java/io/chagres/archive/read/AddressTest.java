package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.HostRegistry;
import io.chagres.linux.Pathname;
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
}
