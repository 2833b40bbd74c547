package io.chagres.archive.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.testing.SmallArchive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs read archives as commands do. The example of docs/QUERY.md stands here. */
final class ArchiveReaderTest {
    @TempDir
    Path directory;

    private long id;

    @BeforeEach
    void write() {
        try (SmallArchive web1 = new SmallArchive(directory, "web1")) {
            id = web1.file("/var/log/app.log");
            web1.append(id, "one ERROR\ntwo\nth").commit(1000);
            web1.append(id, "ree ERROR\nlast").commit(2000);
            web1.append(web1.file("/etc/hosts"), "ERROR none\n").commit(3000);
        }
        try (SmallArchive web2 = new SmallArchive(directory, "web2")) {
            web2.append(web2.file("/var/log/app.log"), "FATAL\n").commit(2500);
        }
    }

    private ArchiveReader open() throws IOException {
        return ArchiveReader.open(directory.toString());
    }

    private List<String> lines(Query query) throws IOException {
        List<String> lines = new ArrayList<>();
        try (ArchiveReader reader = open()) {
            reader.lines(
                    query,
                    (file, position, line) ->
                            lines.add(file + "@" + position + " " + new String(line, StandardCharsets.UTF_8)));
        }
        return lines;
    }

    @Test
    void givesLinesOfHostsAndPathsAndOfATime() throws IOException {
        assertThat(lines(Query.of("*:/var/log")))
                .containsExactly(
                        "web1:/var/log/app.log@0 one ERROR",
                        "web1:/var/log/app.log@10 two",
                        "web1:/var/log/app.log@14 three ERROR",
                        "web1:/var/log/app.log@26 last",
                        "web2:/var/log/app.log@0 FATAL");
        assertThat(lines(Query.of("web1:").at(Instant.ofEpochSecond(1500))))
                .containsExactly(
                        "web1:/var/log/app.log@0 one ERROR",
                        "web1:/var/log/app.log@10 two",
                        "web1:/var/log/app.log@14 th");
        assertThat(lines(Query.of("web1:app.log").since(Instant.ofEpochSecond(1500))))
                .as("a line that began before is not of that time")
                .containsExactly("web1:/var/log/app.log@26 last");
        assertThat(lines(Query.of("web3:"))).isEmpty();
    }

    @Test
    void givesBytesAndFiles() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<String> files = new ArrayList<>();
        try (ArchiveReader reader = open()) {
            reader.bytes(
                    Query.of("web1:app.log").since(Instant.ofEpochSecond(1500)),
                    (file, position, piece) -> bytes.write(piece.toArray(ValueLayout.JAVA_BYTE)));
            reader.files(Query.ALL, file -> files.add(file + " " + (file.end() - file.start())));
        }
        assertThat(bytes).hasToString("ree ERROR\nlast");
        assertThat(files).containsExactly("web1:/etc/hosts 11", "web1:/var/log/app.log 30", "web2:/var/log/app.log 6");
    }

    /** Counts the lines with an error of each host. */
    static Map<String, Integer> errors(String archive, Instant since) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        try (ArchiveReader reader = ArchiveReader.open(archive)) {
            Query query = Query.of("web*:/var/log/**").since(since);
            reader.find(query, "ERROR|FATAL", (file, position, line) -> {
                counts.merge(file.host().name(), 1, Integer::sum);
            });
        }
        return counts;
    }

    @Test
    void findsLines() throws IOException {
        assertThat(errors(directory.toString(), Instant.EPOCH)).isEqualTo(Map.of("web1", 2, "web2", 1));
    }

    @Test
    void endsAtADamagedHostUnlessSomebodyHearsOfIt() throws IOException {
        try (Stream<Path> found = Files.walk(directory)) {
            Path commit = found.filter(each -> each.toString().endsWith("0003.zst"))
                    .findFirst()
                    .orElseThrow();
            Files.write(commit, new byte[100]);
        }
        assertThatThrownBy(() -> lines(Query.ALL)).isInstanceOf(CorruptArchiveException.class);
        List<String> given = new ArrayList<>();
        List<String> passed = new ArrayList<>();
        try (ArchiveReader reader = open()) {
            reader.passOver((host, cause) -> passed.add(host.name()));
            reader.lines(Query.ALL, (file, position, line) -> given.add(file.toString()));
        }
        assertThat(passed).containsExactly("web1");
        assertThat(given).containsExactly("web2:/var/log/app.log");
    }
}
