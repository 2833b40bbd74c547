package io.chagres.spark;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.SmallArchive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** An archive with rotations, copies, holes, files that are gone and bytes that are no text; knows its lines. */
final class RandomFleet {
    private static final byte[][] WORDS = {
        "GET /index.html 200".getBytes(StandardCharsets.UTF_8),
        "\u00e9t\u00e9 ERROR \ud83d\ude00".getBytes(StandardCharsets.UTF_8),
        {(byte) 0xff, 'x', (byte) 0xc3, 0, '\r'},
        {},
        "long ".repeat(400).getBytes(StandardCharsets.UTF_8),
    };

    /** A line, as every way to read it must show it. */
    record Line(String host, String path, long offset, String latin1) implements Comparable<Line> {
        @Override
        public int compareTo(Line other) {
            int order = (host + path).compareTo(other.host + other.path);
            return order != 0 ? order : Long.compare(offset, other.offset);
        }
    }

    private final Path store;
    private final RandomGenerator random;
    private final Map<String, ByteArrayOutputStream> files = new HashMap<>();

    RandomFleet(Path store, RandomGenerator random) throws IOException {
        this.store = store;
        this.random = random;
        for (int i = 0; i < 3; i++) {
            host("web" + i);
        }
    }

    private void host(String host) throws IOException {
        try (SmallArchive archive = new SmallArchive(store, host)) {
            Map<Long, ByteArrayOutputStream> versions = new HashMap<>();
            int second = 100;
            for (int round = 0; round < 3; round++) {
                for (String name : List.of("app", "db")) {
                    String path = "/log/" + name + ".log";
                    if (round > 0) {
                        String rotated = path + "." + round;
                        archive.rename(path, rotated);
                        files.put(host + rotated, files.remove(host + path));
                    }
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    versions.put(archive.file(path), bytes);
                    files.put(host + path, bytes);
                }
                for (int step = 0; step < 12; step++) {
                    List<Long> ids = new ArrayList<>(versions.keySet());
                    grow(archive, ids.get(random.nextInt(ids.size())), versions);
                    if (random.nextBoolean()) {
                        archive.commit(second++);
                    }
                }
                archive.commit(second++);
                if (random.nextBoolean()) {
                    SmallArchive.compact(store);
                }
            }
            archive.remove("/log/db.log.1").commit(second); // gone, and shown all the same
        }
    }

    private void grow(SmallArchive archive, long version, Map<Long, ByteArrayOutputStream> versions) {
        ByteArrayOutputStream bytes = versions.get(version);
        if (random.nextInt(8) == 0) {
            int length = random.nextInt(1, 3000);
            archive.extend(version, length, new LogRecord.ZeroRun(version, bytes.size(), length, 0));
            bytes.writeBytes(new byte[length]);
            return;
        }
        ByteArrayOutputStream source = versions.get(version - 1);
        if (random.nextInt(8) == 0 && source != null && source.size() > 0) {
            byte[] copied = source.toByteArray();
            int from = random.nextInt(copied.length);
            int length = Math.min(copied.length - from, LogRecord.PIECE_BYTES);
            int crc = Host.crc(copied, from, length);
            archive.extend(
                    version, length, new LogRecord.CopyRun(version, bytes.size(), length, version - 1, from, crc, 0));
            bytes.write(copied, from, length);
            return;
        }
        ByteArrayOutputStream more = new ByteArrayOutputStream();
        for (int i = random.nextInt(60); i >= 0; i--) {
            more.writeBytes(WORDS[random.nextInt(WORDS.length)]);
            if (random.nextInt(5) > 0) {
                more.write('\n');
            }
        }
        if (more.size() > 0) {
            archive.append(version, more.toByteArray());
            bytes.writeBytes(more.toByteArray());
        }
    }

    /** Returns all lines, in their order. */
    List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        files.forEach((name, content) -> {
            String text = content.toString(StandardCharsets.ISO_8859_1);
            int slash = name.indexOf('/');
            for (int at = 0; at < text.length(); ) {
                int newline = text.indexOf('\n', at);
                int end = newline < 0 ? text.length() : newline;
                lines.add(new Line(name.substring(0, slash), name.substring(slash), at, text.substring(at, end)));
                at = end + 1;
            }
        });
        lines.sort(null);
        return lines;
    }
}
