package io.chagres.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** One command run in this process: what it printed and its exit code. */
public record CommandRun(int code, String out, String err) {

    public static CommandRun of(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(args, out, err);
        return new CommandRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
