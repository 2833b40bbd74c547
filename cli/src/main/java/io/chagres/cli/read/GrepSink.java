package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LineFinder;
import io.chagres.archive.find.LineSink;
import io.chagres.cli.text.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Prints what is found in one file: as ripgrep does, as text or as JSON. Confined to one thread. */
abstract sealed class GrepSink implements LineSink permits GrepSink.Summary, GrepSink.Text, GrepSink.Json, TimedSink {
    /** Stands between lines that do not follow each other, where context is shown. */
    static final byte[] GAP = utf8("--\n");

    final ContentSink.Origin origin;
    final OutputStream out;
    final LineFinder finder;

    GrepSink(ContentSink.Origin origin, OutputStream out, FileSearch search) {
        this.origin = origin;
        this.out = out;
        this.finder = search.finder();
    }

    /** Returns the form the user asked for. */
    static GrepSink of(
            ContentSink.Origin origin,
            OutputStream out,
            FileSearch search,
            GrepOptions options,
            boolean colored,
            boolean json) {
        if (options.count || options.namesFiles()) {
            return new Summary(origin, out, search, options);
        }
        return json ? new Json(origin, out, search) : new Text(origin, out, search, options, colored);
    }

    /** Hears when what comes next was committed, milliseconds since 1970; never when nobody asked for that. */
    void committed(long timeMs) {}

    /** The file was searched to its end, or to its last line that is wanted. */
    abstract void end(long matches) throws IOException;

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Only which files, or how many lines. */
    static final class Summary extends GrepSink {
        private final GrepOptions options;

        Summary(ContentSink.Origin origin, OutputStream out, FileSearch search, GrepOptions options) {
            super(origin, out, search);
            this.options = options;
        }

        @Override
        public void line(Line line) {}

        @Override
        void end(long matches) throws IOException {
            if (options.quiet) {
                return;
            }
            if (options.filesWith || options.filesWithout) {
                if (matches > 0 == options.filesWith) {
                    out.write(utf8(origin + "\n"));
                }
            } else if (matches > 0) {
                out.write(utf8((options.anonymous ? "" : origin + ":") + matches + "\n"));
            }
        }
    }

    /** Lines, with host and path in front. */
    static final class Text extends GrepSink {
        private static final byte[] NEWLINE = {'\n'};
        private static final byte[] RED = utf8("\u001b[1m\u001b[31m");
        private static final byte[] RESET = utf8("\u001b[0m");

        private final GrepOptions options;
        private final boolean colored;
        private final String name;
        private final byte[] matchName;
        private final byte[] contextName;

        Text(ContentSink.Origin origin, OutputStream out, FileSearch search, GrepOptions options, boolean colored) {
            super(origin, out, search);
            this.options = options;
            this.colored = colored;
            name = options.anonymous ? "" : colored ? "\u001b[35m" + origin + "\u001b[0m" : origin.toString();
            matchName = utf8(name.isEmpty() ? "" : name + ':');
            contextName = utf8(name.isEmpty() ? "" : name + '-');
        }

        @Override
        public void line(Line line) throws IOException {
            if (!options.onlyMatching) {
                prefix(line);
                bytes(line);
                out.write(NEWLINE);
            } else if (!options.inverted) {
                IOException[] failed = {null};
                finder.spans(line.bytes(), (from, to) -> {
                    try {
                        prefix(line);
                        color(line.bytes(), from, to);
                        out.write(NEWLINE);
                    } catch (IOException e) {
                        failed[0] = e;
                    }
                });
                rethrow(failed[0]);
            }
        }

        private void prefix(Line line) throws IOException {
            out.write(line.matches() ? matchName : contextName);
            if (line.number() > 0) {
                String number = Long.toString(line.number());
                char sign = line.matches() ? ':' : '-';
                out.write(utf8((colored ? "\u001b[32m" + number + "\u001b[0m" : number) + sign));
            }
        }

        private void bytes(Line line) throws IOException {
            byte[] bytes = line.bytes();
            if (!colored || !line.matches() || options.inverted) {
                out.write(bytes);
                return;
            }
            int[] done = {0};
            IOException[] failed = {null};
            finder.spans(bytes, (from, to) -> {
                try {
                    out.write(bytes, done[0], from - done[0]);
                    color(bytes, from, to);
                    done[0] = to;
                } catch (IOException e) {
                    failed[0] = e;
                }
            });
            rethrow(failed[0]);
            out.write(bytes, done[0], bytes.length - done[0]);
        }

        private void color(byte[] bytes, int from, int to) throws IOException {
            if (colored) {
                out.write(RED);
            }
            out.write(bytes, from, to - from);
            if (colored) {
                out.write(RESET);
            }
        }

        private static void rethrow(@Nullable IOException failed) throws IOException {
            if (failed != null) {
                throw failed;
            }
        }

        @Override
        public void gap() throws IOException {
            out.write(GAP);
        }

        @Override
        public void binary(long position) throws IOException {
            out.write(utf8((name.isEmpty() ? "" : name + ": ")
                    + "binary file matches (found \"\\0\" byte around offset " + position + ")\n"));
        }

        @Override
        void end(long matches) {}
    }

    /** The messages of {@code rg --json}, with host and version beside the path. */
    static final class Json extends GrepSink {
        private boolean begun;
        private long binary = -1;
        private long committedMs = -1;

        Json(ContentSink.Origin origin, OutputStream out, FileSearch search) {
            super(origin, out, search);
        }

        @Override
        void committed(long timeMs) {
            committedMs = timeMs;
        }

        @Override
        public void line(Line line) throws IOException {
            begin();
            JsonWriter json = message(line.matches() ? "match" : "context");
            text(json.name("lines"), line.bytes(), 0, line.bytes().length, true);
            json.name("line_number");
            if (line.number() == 0) {
                json.value((String) null);
            } else {
                json.value(line.number());
            }
            json.member("absolute_offset", line.position());
            if (committedMs >= 0) {
                json.timeMember("commit_time", committedMs);
            }
            json.name("submatches").beginArray();
            if (line.matches()) {
                finder.spans(line.bytes(), (from, to) -> {
                    json.beginObject();
                    text(json.name("match"), line.bytes(), from, to, false);
                    json.member("start", from).member("end", to).endObject();
                });
            }
            json.endArray();
            print(json);
        }

        @Override
        public void binary(long position) throws IOException {
            begin();
            binary = position;
        }

        @Override
        void end(long matches) throws IOException {
            if (begun) {
                JsonWriter json = message("end").name("binary_offset");
                print(binary < 0 ? json.value((String) null) : json.value(binary));
            }
        }

        private void begin() throws IOException {
            if (!begun) {
                begun = true;
                print(message("begin"));
            }
        }

        private JsonWriter message(String type) {
            JsonWriter json = new JsonWriter().beginObject().member("type", type);
            json.name("data").beginObject().member("host", origin.host());
            byte[] path = origin.path().bytes();
            text(json.name("path"), path, 0, path.length, false);
            return json.member("version", ArchiveLayout.hex(origin.versionId()));
        }

        private void print(JsonWriter json) throws IOException {
            out.write(utf8(json.endObject().endObject() + "\n"));
        }

        /** As {@code text} where it is UTF-8, as {@code bytes} in Base64 where it is not. */
        private static void text(JsonWriter json, byte[] bytes, int from, int to, boolean newline) {
            byte[] all = new byte[to - from + (newline ? 1 : 0)];
            System.arraycopy(bytes, from, all, 0, to - from);
            if (newline) {
                all[to - from] = '\n';
            }
            json.beginObject();
            try {
                json.member(
                        "text",
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .decode(ByteBuffer.wrap(all))
                                .toString());
            } catch (CharacterCodingException e) {
                json.member("bytes", Base64.getEncoder().encodeToString(all));
            }
            json.endObject();
        }
    }
}
