package io.chagres.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Runs the commands whose start the launcher makes quick: the JVM notes which classes they load, and keeps them in its
 * AOT cache. Only the launcher uses it, once after each build.
 */
final class Training {
    private static final Map<String, String> EMPTY_LISTS = Map.of(
            "s3", "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>",
            "gs", "{}",
            "azblob", "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>");

    private Training() {}

    /**
     * Ships a file into an archive and reads it back, in this process.
     *
     * @param args an empty directory of the caller's, and the scheme of an object store if its classes are wanted
     */
    public static void main(String[] args) throws IOException {
        String directory = args[0];
        if (args.length > 1) {
            objectStore(args[1], directory);
        }
        String archive = directory + "/archive";
        Files.writeString(
                Files.createDirectory(Path.of(directory, "source")).resolve("app.log"), "a line\n".repeat(100_000));
        run("ship", "--help");
        run("ship", directory + "/source", "--to", archive, "--state", directory + "/state", "--host", "h", "--once");
        Files.copy(Path.of(directory, "source", "app.log"), Path.of(directory, "source", "copy.log"));
        manyFiles(Files.createDirectory(Path.of(directory, "many")));
        run("dedupe", directory + "/source");
        run("dedupe", directory + "/many", "--dry-run", "--db", directory + "/dedupe.db");
        run("ls", archive, "-l");
        run("tail", archive, "h:*/app.log", "-n", "1");
        run("cat", archive, "h:*/app.log");
        run("grep", "-n", "li[n]e", archive);
        run("mount", "--help");
        run("verify", archive);
        Main.main(new String[] {"--help"}); // as a process does it, to its exit
    }

    /** Asks a server that has nothing and takes nothing: a request, its signature and its answer load most classes. */
    private static void objectStore(String scheme, String directory) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> answer(server, EMPTY_LISTS.getOrDefault(scheme, "")));
            System.setProperty("aws.accessKeyId", "training");
            System.setProperty("aws.secretAccessKey", "training");
            String store = scheme + "://bucket/p?endpoint=http://127.0.0.1:" + server.getLocalPort();
            Path source = Files.writeString(Path.of(directory, "one.log"), "a line\n");
            run("ls", store);
            run("ship", source.toString(), "--to", store, "--state", directory + "/s", "--once", "--drain", "1s");
        }
    }

    private static void answer(ServerSocket server, String emptyList) {
        byte[] request = new byte[16 * 1024];
        while (true) {
            try (Socket client = server.accept()) {
                boolean list = client.getInputStream().read(request) > 0 && request[0] == 'G';
                String body = list ? emptyList : "";
                String answer =
                        "HTTP/1.1 " + (list ? "200 OK" : "403 Forbidden") + "\r\nContent-Length: " + body.length()
                                + "\r\nContent-Type: " + (body.startsWith("{") ? "application/json" : "application/xml")
                                + "\r\nConnection: close\r\n\r\n" + body;
                client.getOutputStream().write(answer.getBytes(UTF_8));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Makes files of fifty sizes, two of each. */
    private static void manyFiles(Path directory) throws IOException {
        for (int i = 0; i < 100; i++) {
            Files.writeString(directory.resolve("file" + i), "a line\n".repeat(i / 2 * 100));
        }
    }

    private static void run(String... command) {
        Main.run(command, OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }
}
