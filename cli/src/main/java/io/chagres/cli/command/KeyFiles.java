package io.chagres.cli.command;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Reads files of keys. Stateless. */
public final class KeyFiles {
    /** Reads one kind of file. */
    @FunctionalInterface
    public interface Reader<T> {
        /** Takes the lines of a file. */
        T read(String file, List<String> lines) throws IOException;
    }

    private KeyFiles() {}

    /**
     * Reads a file that a person named.
     *
     * @throws CommandFailure naming the file and the cause
     */
    public static <T> T read(String file, Reader<T> reader) throws CommandFailure {
        List<String> lines = lines(file);
        try {
            return reader.read(file, lines);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private static List<String> lines(String file) throws CommandFailure {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new CommandFailure(ExitCode.USAGE, file + ": there is no such file");
        } catch (CharacterCodingException e) {
            throw new CommandFailure(ExitCode.USAGE, file + ": it is no text");
        } catch (FileSystemException e) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    file + ": it cannot be read" + (e.getReason() == null ? "" : " (" + e.getReason() + ")"));
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, file + ": it cannot be read (" + e.getMessage() + ")");
        }
    }
}
