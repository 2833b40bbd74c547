package io.chagres.cli.command;

import io.chagres.archive.query.OrderedOutput;
import io.chagres.cli.text.JsonWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of a command: raw bytes and lines through one large buffer. When the reader went away (a closed
 * pipe), it throws {@link ClosedException}, which ends the program quietly. Confined to one thread.
 */
public final class Output implements OrderedOutput.Target {
    private static final int BUFFER_BYTES = 256 * 1024;

    private final BufferedOutputStream target;
    /** Takes memory as it is; null where the target takes arrays alone. */
    private final @Nullable StandardOutput direct;

    private final int columns;
    private final byte[] copy = new byte[64 * 1024];
    private boolean empty = true;
    private @Nullable IOException failure;

    /** Writes to a stream that is no terminal and stays the caller's. */
    public Output(OutputStream target) {
        this(target, 0);
    }

    /**
     * Writes to a stream, which stays the caller's.
     *
     * @param columns of the terminal that shows it; 0 where none does
     */
    public Output(OutputStream target, int columns) {
        this.target = new BufferedOutputStream(target, BUFFER_BYTES);
        direct = target instanceof StandardOutput standard ? standard : null;
        this.columns = columns;
    }

    /** Returns how many columns the terminal has; 0 where nobody looks at this. */
    public int columns() {
        return columns;
    }

    /** Writes one line of text and its newline. */
    public void line(String text) throws IOException {
        byte[] bytes = (text + '\n').getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
    }

    /** Writes a JSON value on a line of its own. */
    public void line(JsonWriter json) throws IOException {
        line(json.toString());
    }

    /** Writes raw bytes. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        empty &= length == 0;
        try {
            target.write(bytes, offset, length);
        } catch (IOException e) {
            throw translated(e);
        }
    }

    /**
     * Writes raw bytes of a segment; many of them go to standard output without a copy.
     *
     * @param source borrowed until return
     */
    public void write(MemorySegment source, long offset, long length) throws IOException {
        if (direct != null && length >= copy.length && source.isNative()) {
            empty = false;
            flush();
            try {
                direct.write(source, offset, length);
            } catch (IOException e) {
                throw translated(e);
            }
            return;
        }
        long done = 0;
        while (done < length) {
            int piece = (int) Math.min(copy.length, length - done);
            MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset + done, copy, 0, piece);
            write(copy, 0, piece);
            done += piece;
        }
    }

    /** Says whether nothing was written yet. */
    @Override
    public boolean isEmpty() {
        return empty;
    }

    /** Hands everything written so far to the reader; does nothing once that failed and was reported. */
    public void flush() throws IOException {
        if (failure != null) {
            return;
        }
        try {
            target.flush();
        } catch (IOException e) {
            throw translated(e);
        }
    }

    /** Says again that something was not written, for those whose caller does not hear of it: a help text. */
    public void requireWritten() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    private IOException translated(IOException e) {
        IOException translated = translation(e);
        failure = translated;
        return translated;
    }

    private static IOException translation(IOException e) {
        if (e instanceof ClosedException || e instanceof CommandFailure) {
            return e; // the target is another one of these
        }
        String message = "cannot write standard output: " + e.getMessage();
        return message.contains("Broken pipe")
                ? new ClosedException(message, e)
                : new CommandFailure(ExitCode.FAILED, message);
    }

    /** The reader of standard output is gone: nobody is left to read anything. */
    public static final class ClosedException extends IOException {
        private static final long serialVersionUID = 1;

        ClosedException(String message, IOException cause) {
            super(message, cause);
        }
    }
}
