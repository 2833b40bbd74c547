package io.chagres.cli;

import io.chagres.cli.command.Output;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Hands picocli's help texts to the command's output. */
final class HelpWriter extends Writer {
    private final Output output;

    HelpWriter(Output output) {
        this.output = output;
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
        byte[] bytes = new String(text, offset, length).getBytes(StandardCharsets.UTF_8);
        output.write(bytes, 0, bytes.length);
    }

    @Override
    public void flush() throws IOException {
        output.flush();
    }

    @Override
    public void close() throws IOException {
        output.flush();
    }
}
