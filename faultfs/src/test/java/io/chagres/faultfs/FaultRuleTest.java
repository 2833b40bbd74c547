package io.chagres.faultfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultRuleTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "error=EIO",
                "op=* bytes=1",
                "op=read,fsync,readdir path=/logs/** error=ENOSPC after=0 times=1 probability=0.5",
                "delay=500us",
                "delay=2m error=ESTALE",
            })
    void takesRules(String rule) {
        assertThat(FaultRule.parse(" " + rule + " ")).hasToString(rule);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "op=read; a rule needs error=, bytes= or delay=",
                "EIO; 'EIO' is not KEY=VALUE",
                "error=; 'error=' is not KEY=VALUE",
                "error=EWRONG; 'EWRONG' is the name of no error, such as EIO or ENOSPC",
                "op=red error=EIO; 'red' is no operation",
                "op=init error=EIO; 'init' is no operation",
                "bytes=0; bytes=0 is not a number from 1 on",
                "error=EIO times=x; times=x is not a number from 1 on",
                "delay=1; delay=1 is not a time such as 500ms or 2s",
                "error=EIO probability=2; probability=2 is not between 0 and 1",
                "error=EIO when=now; 'when' is none of op, path, error, bytes, delay, after, times, probability",
            },
            delimiter = ';')
    void saysWhatIsWrong(String rule, String says) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> FaultRule.parse(rule))
                .withMessage(says);
    }
}
