package io.chagres.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Counts which of the lines that were written are found again: lost, doubled and torn. A file with several names counts
 * once; a {@code .gz} file counts by its unpacked content. Confined to one thread.
 *
 * <p>Files are of two kinds. In <em>current</em> files each line must stand exactly once. In <em>superseded</em> files
 * (versions kept beside because a truncation or a rewrite ended them) a line may stand that a current file has too,
 * because the one was copied into the other; but no two superseded files may share a line either.
 */
public final class LineCount {
    private static final int MAX_EXAMPLES = 5;

    private final Map<String, Lines> streams = new TreeMap<>();
    private final Set<Object> inodes = new HashSet<>();
    private final List<String> examples = new ArrayList<>();
    private long torn;

    private static final class Lines {
        final byte[] current;
        final byte[] superseded;

        Lines(int count) {
            current = new byte[count];
            superseded = new byte[count];
        }
    }

    /**
     * Tells how many lines were lost, doubled and torn.
     *
     * @param lost lines in no file
     * @param doubled lines that stand once too often
     * @param torn pieces between two newlines (or at the end) that are no line that was written
     * @param examples some of them, with their files
     */
    public record Result(long lost, long doubled, long torn, List<String> examples) {
        /** Returns whether nothing was lost, doubled or torn. */
        public boolean exact() {
            return lost == 0 && doubled == 0 && torn == 0;
        }
    }

    /** Expects the lines a writer has written so far. */
    public LineCount expect(LineWriter writer) {
        return expect(writer.stream(), writer.written());
    }

    /** Expects lines 0 to count - 1 of a stream. */
    public LineCount expect(String stream, long count) {
        streams.put(stream, new Lines(Math.toIntExact(count)));
        return this;
    }

    /** Counts every regular file of a tree as a current file. */
    public LineCount tree(Path tree) {
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .forEach(this::current);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Counts one current file. */
    public LineCount current(Path file) {
        return count(file, false);
    }

    /** Counts one superseded file. */
    public LineCount superseded(Path file) {
        return count(file, true);
    }

    private LineCount count(Path file, boolean superseded) {
        try {
            if (!inodes.add(Files.getAttribute(file, "unix:fileKey"))) {
                return this;
            }
            try (InputStream raw = new BufferedInputStream(Files.newInputStream(file))) {
                InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
                read(in, file.getFileName().toString(), superseded);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot count " + file, e);
        }
        return this;
    }

    /** Counts what a stream of bytes gives, as the content of a current file. */
    public LineCount content(byte[] bytes, String name) {
        try {
            read(new java.io.ByteArrayInputStream(bytes), name, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    private void read(InputStream in, String name, boolean superseded) throws IOException {
        byte[] buffer = new byte[1 << 16];
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            int start = 0;
            for (int i = 0; i < length; i++) {
                if (buffer[i] == '\n') {
                    line.write(buffer, start, i + 1 - start);
                    line(line.toByteArray(), name, superseded);
                    line.reset();
                    start = i + 1;
                }
            }
            line.write(buffer, start, length - start);
        }
        if (line.size() > 0) {
            line(line.toByteArray(), name, superseded);
        }
    }

    private void line(byte[] line, String name, boolean superseded) {
        String[] words = new String(line, 0, Math.min(line.length, 64), StandardCharsets.ISO_8859_1).split(" ", 3);
        Lines lines = streams.get(words[0]);
        long number = words.length == 3 && words[1].matches("\\d{1,9}") ? Long.parseLong(words[1]) : -1;
        int known = lines == null ? 0 : lines.current.length;
        if (lines == null || number < 0 || number >= known || !Arrays.equals(line, NumberedLine.of(words[0], number))) {
            torn++;
            example("torn", words.length == 3 ? words[0] + " " + number : "?", name);
            return;
        }
        byte[] counts = superseded ? lines.superseded : lines.current;
        counts[(int) number]++;
        if (counts[(int) number] == 2) {
            example("doubled", words[0] + " " + number, name);
        }
    }

    private void example(String what, String line, String file) {
        if (examples.size() < MAX_EXAMPLES) {
            examples.add(what + " " + line + " in " + file);
        }
    }

    /** Returns what was found so far. */
    public Result result() {
        long lost = 0;
        long doubled = 0;
        for (Map.Entry<String, Lines> stream : streams.entrySet()) {
            Lines lines = stream.getValue();
            for (int i = 0; i < lines.current.length; i++) {
                if (lines.current[i] == 0 && lines.superseded[i] == 0) {
                    lost++;
                    example("lost", stream.getKey() + " " + i, "every file");
                }
                doubled += Math.max(0, lines.current[i] - 1) + Math.max(0, lines.superseded[i] - 1);
            }
        }
        return new Result(lost, doubled, torn, List.copyOf(examples));
    }
}
