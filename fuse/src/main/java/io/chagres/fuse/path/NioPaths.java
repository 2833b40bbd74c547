package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The paths of nodes as a provider of java.nio.file has them. Safe for any thread. */
final class NioPaths {
    private final Path root;
    private final PathTable table;

    NioPaths(Path root, PathTable table) {
        this.root = root;
        this.table = table;
    }

    Path path(long node) throws ErrnoException {
        return resolved(table.path(node));
    }

    /** Returns the path of an open file, or nothing if it no longer has one of its own. */
    @Nullable
    Path pathIfAny(long node) {
        String path = table.pathIfAny(node);
        return path.isEmpty() ? null : resolved(path);
    }

    Path path(long parent, String name) throws ErrnoException {
        Path path = path(parent).resolve(name);
        if (!name.equals(String.valueOf(path.getFileName()))) {
            throw new InvalidPathException(name, "is more than a name to this provider");
        }
        return path;
    }

    /** Lists a directory. A name that java.nio.file cannot say in a String is an error, and no other name. */
    DirectoryListing list(long node) throws IOException {
        DirectoryListing listed = new DirectoryListing(0);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path(node))) {
            for (Path entry : entries) {
                Path last = entry.getFileName();
                String name = String.valueOf(last);
                if (last != null && isCarried(last)) {
                    listed.add(name.endsWith("/") ? name.substring(0, name.length() - 1) : name);
                } else {
                    listed.fail(Errno.EILSEQ);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return listed;
    }

    /** Reads a symbolic link. */
    byte[] target(long node) throws IOException {
        Path target = Files.readSymbolicLink(path(node));
        if (!isCarried(target)) {
            throw new MalformedInputException(target.toString().length());
        }
        ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(target.toString()));
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    /** Says whether the characters of a path lead back to it: on this machine its names are bytes. */
    private static boolean isCarried(Path path) {
        if (!path.getFileSystem().equals(FileSystems.getDefault())) {
            return true;
        }
        try {
            return path.equals(path.getFileSystem().getPath(path.toString()));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private Path resolved(String path) {
        Path at = root;
        for (String name : path.split("/")) {
            at = name.isEmpty() ? at : at.resolve(name);
        }
        return at;
    }
}
