package demo;

import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.PathFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Mounts a file system of one file, and reads it. */
public record Hello(byte[] text) implements PathFileSystem {
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        try (FuseServer server =
                FuseServer.mount(new Hello("hello\n".getBytes()).byNodes(), directory, FuseOptions.DEFAULTS)) {
            System.out.print(Files.readString(directory.resolve("greeting")));
            server.unmount();
        }
    }

    @Override
    public void getattr(String path, Attributes attributes) throws NoSuchFileException {
        switch (path) {
            case "/" -> attributes.directory(0755);
            case "/greeting" -> attributes.file(0444, text.length);
            default -> throw new NoSuchFileException(path);
        }
    }

    @Override
    public List<String> readdir(String path) {
        return List.of("greeting");
    }

    @Override
    public void read(String path, long handle, ByteBuffer buffer, long position) {
        int start = (int) Math.min(position, text.length);
        buffer.put(text, start, Math.min(buffer.remaining(), text.length - start));
    }
}
