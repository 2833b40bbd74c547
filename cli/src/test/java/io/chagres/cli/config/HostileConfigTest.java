package io.chagres.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.CommandRun;
import io.chagres.testkit.Fuzz;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configurations that are put together of what TOML has, rightly and wrongly: each is taken, or said to be wrong. */
@Tag("long")
class HostileConfigTest implements Fuzz.Target {
    private static final String[] KEYS = {
        "to",
        "host",
        "max-lag",
        "level",
        "quiet",
        "exclude",
        "paths",
        "source",
        "codec",
        "include",
        "archive",
        "a.b",
        "\"\"",
        "'x y'",
        "secret-access-key",
        "levle",
        "\"\\u0000\"",
        "memory",
        "machine-id"
    };
    private static final String[] VALUES = {
        "\"/mnt/archive\"",
        "1",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "1e400",
        "nan",
        "-inf",
        "true",
        "[]",
        "[[]]",
        "[1, \"a\"]",
        "[\"*.log\"]",
        "{}",
        "{a = 1}",
        "{paths = [\"/var/log\"]}",
        "[{paths = \"/a\"}]",
        "[{paths = \"/a\"}, 1]",
        "[1, {paths = \"/a\"}]",
        "1979-05-27T07:32:00Z",
        "07:32:00",
        "\"\"",
        "''",
        "\"\\u0000\"",
        "\"\\uD800\"",
        "\"\\U0010FFFF\"",
        "'''\n'''",
        "\"\"\"\na\"\"\"",
        "\"5s\"",
        "\"-5s\"",
        "\"9999999999999d\"",
        "\"s3://key:secret@bucket/x\"",
        "\"[\"",
        "\"{a,b\"",
        "\"**/**/**\"",
        "0x",
        "1_000",
        "1__0",
        "\"\u001b[2J\"",
        "\"\u202e\"",
        "\"a\" \"b\"",
        "[",
        "{",
        "\"",
        "="
    };
    private static final String[] HEADS = {
        "[[source]]",
        "[source]",
        "[[source.a]]",
        "[source.x]",
        "[]",
        "[[]]",
        "[a.b.c]",
        "[[source]",
        "# \u0000",
        "\r",
        "\uFEFF",
        "[[to]]",
        "[source]\n[[source]]"
    };

    @TempDir
    private Path directory = Path.of("");

    @Test
    void takesThemOrSaysWhatIsWrong() throws Exception {
        Fuzz.run(HostileConfigTest.class, this);
    }

    @Override
    public byte[] make(RandomGenerator random) {
        StringBuilder text = new StringBuilder();
        if (random.nextInt(3) > 0) {
            text.append("to = \"/mnt/archive\"\n");
        }
        for (int lines = random.nextInt(1, 12); lines > 0; lines--) {
            if (random.nextInt(4) == 0) {
                text.append(HEADS[random.nextInt(HEADS.length)]);
            } else {
                text.append(KEYS[random.nextInt(KEYS.length)]).append(" = ").append(value(random));
            }
            text.append(random.nextInt(20) == 0 ? "" : "\n");
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(10) == 0 && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    private static String value(RandomGenerator random) {
        String value = VALUES[random.nextInt(VALUES.length)];
        return switch (random.nextInt(40)) {
            case 0 -> {
                int depth = 1 << random.nextInt(16);
                yield "[".repeat(depth) + value + "]".repeat(random.nextBoolean() ? depth : 0);
            }
            case 1 -> "{a = ".repeat(1 << random.nextInt(10)) + value;
            case 2 -> "\"" + "x".repeat(1 << random.nextInt(17)) + "\"";
            case 3 -> "[" + (value + ", ").repeat(1 << random.nextInt(10)) + "]";
            default -> value;
        };
    }

    @Override
    public void check(byte[] input) throws Exception {
        Path file = Files.write(directory.resolve("chagres.toml"), input);
        CommandRun run = CommandRun.of("config", "check", file.toString());
        assertThat(run.code()).as(run.err()).isIn(0, 1, 2);
        assertThat(run.err() + run.out())
                .doesNotContain("unexpected", "Exception", "\tat ", "\u001b[2J", "\u202e")
                .doesNotContain("secret@bucket");
        if (run.code() != 0) {
            assertThat(run.err() + run.out()).isNotBlank();
        }
    }
}
