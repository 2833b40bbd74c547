package io.chagres.linux;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;

/** Reads one file through the descriptors of several objects of the JDK. */
final class DescriptorsProgram {
    private DescriptorsProgram() {}

    public static void main(String[] args) throws IOException {
        Path path = Path.of("pom.xml");
        byte[] content = Files.readAllBytes(path);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
                FileInputStream stream = new FileInputStream(path.toFile());
                FileChannel channel = FileChannel.open(path)) {
            compare(Descriptors.of(file.getFD()), content);
            compare(Descriptors.of(stream.getFD()), content);
            compare(Descriptors.of(channel), content);
            try (FileSystem zip = FileSystems.newFileSystem(
                            Files.createTempDirectory("zip").resolve("x.zip"), Map.of("create", "true"));
                    FileChannel inside =
                            FileChannel.open(zip.getPath("x"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                Descriptors.of(inside);
            } catch (IllegalArgumentException e) {
                System.err.println("foreign channel refused");
            }
            System.err.println("closed " + Descriptors.of(closed(path)));
        } catch (IllegalStateException e) {
            System.err.println(e.getMessage());
        }
    }

    private static FileDescriptor closed(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            return file.getFD();
        }
    }

    private static void compare(int fd, byte[] content) {
        byte[] array = new byte[content.length + 1];
        try (HeapReader reader = new HeapReader()) {
            int n = reader.read(fd, array, 0, array.length, 0);
            System.err.println(Arrays.equals(content, 0, content.length, array, 0, n) ? "equal" : "different");
        }
    }
}
