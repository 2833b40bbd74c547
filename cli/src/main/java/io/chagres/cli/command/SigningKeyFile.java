package io.chagres.cli.command;

import io.chagres.archive.sign.SigningKey;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** A file with the secret half of a key that signs, as OpenSSL writes and reads it. Stateless. */
public final class SigningKeyFile {
    private SigningKeyFile() {}

    /**
     * Returns the key in a file; null when there is no such file.
     *
     * @throws CommandFailure when the file holds none, or cannot be read
     */
    public static @Nullable SigningKey read(String file) throws CommandFailure {
        if (Files.notExists(Path.of(file))) {
            return null;
        }
        return KeyFiles.read(file, (name, lines) -> {
            try {
                return SigningKey.parse(lines);
            } catch (IllegalArgumentException e) {
                throw new IOException(name + ": " + e.getMessage(), e);
            }
        });
    }

    /**
     * Makes a key and keeps it in a new file that its user alone can read.
     *
     * @throws CommandFailure when there can be no such file
     */
    public static SigningKey make(String file) throws IOException {
        SigningKey key = SigningKey.generate();
        Path path = Path.of(file);
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(path, key.secretText() + "\n");
        } catch (FileSystemException e) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    file + ": no key can be kept there" + (e.getReason() == null ? "" : " (" + e.getReason() + ")"));
        }
        return key;
    }
}
