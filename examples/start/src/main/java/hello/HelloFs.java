package hello;

import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.PathFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A directory with one file, {@code hello}. Mounts itself on the directory it is given. */
public final class HelloFs implements PathFileSystem {
    private static final byte[] HELLO = "Hello, world!\n".getBytes();

    public static void main(String[] arguments) throws Exception {
        FuseServer.mount(new HelloFs().byNodes(), Path.of(arguments[0]), FuseOptions.DEFAULTS)
                .join();
    }

    @Override
    public void getattr(String path, Attributes attributes) throws NoSuchFileException {
        switch (path) {
            case "/" -> attributes.directory(0755);
            case "/hello" -> attributes.file(0444, HELLO.length);
            default -> throw new NoSuchFileException(path);
        }
    }

    @Override
    public List<String> readdir(String path) {
        return List.of("hello");
    }

    @Override
    public void read(String path, long handle, ByteBuffer buffer, long position) {
        int start = (int) Math.min(position, HELLO.length);
        buffer.put(HELLO, start, Math.min(buffer.remaining(), HELLO.length - start));
    }
}
