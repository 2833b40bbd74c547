package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LineFinder;
import io.chagres.archive.find.LineSpans;
import io.chagres.archive.find.Replacement;
import io.chagres.archive.query.FleetSearch;
import io.chagres.archive.query.QueriedFile;
import io.chagres.cli.text.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints what is found in one file: as ripgrep does, as text or as JSON. Confined to one thread. */
abstract class GrepSink implements FleetSearch.FileSink {
    /** Stands between lines that do not follow each other, where context is shown. */
    static final byte[] GAP = utf8("--\n");

    /** Stands between files where each has a heading. */
    static final byte[] HEADING_GAP = utf8("\n");

    final QueriedFile file;
    final OutputStream out;
    final FileSearch search;
    final LineFinder finder;

    GrepSink(QueriedFile file, OutputStream out, FileSearch search) {
        this.file = file;
        this.out = out;
        this.search = search;
        this.finder = search.finder();
    }

    /** Returns the form the user asked for. */
    static GrepSink of(
            QueriedFile file, OutputStream out, FileSearch search, GrepOptions options, boolean colored, boolean json) {
        if (options.count || options.namesFiles()) {
            return new Summary(file, out, search, options);
        }
        return json ? new Json(file, out, search) : new Text(file, out, search, options, colored);
    }

    /** Hears when what comes next was committed, milliseconds since 1970; never when nobody asked for that. */
    void committed(long timeMs) {}

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Only which files, or how many lines. */
    static final class Summary extends GrepSink {
        private final GrepOptions options;

        Summary(QueriedFile file, OutputStream out, FileSearch search, GrepOptions options) {
            super(file, out, search);
            this.options = options;
        }

        @Override
        public void line(Line line) {}

        @Override
        public boolean takesLines() {
            return false;
        }

        @Override
        public void end(long matches) throws IOException {
            if (options.quiet) {
                return;
            }
            if (options.filesWith || options.filesWithout) {
                if (matches > 0 == options.filesWith) {
                    out.write(utf8(file + "\n"));
                }
            } else if (matches > 0) {
                out.write(utf8((options.isAnonymous() ? "" : file + ":") + matches + "\n"));
            }
        }
    }

    /** Lines, with host and path in front, or above them. */
    static final class Text extends GrepSink {
        private static final byte[] NEWLINE = {'\n'};
        private static final byte[] EMPTY = {};
        private static final byte[] RED = utf8("\u001b[1m\u001b[31m");
        private static final byte[] RESET = utf8("\u001b[0m");

        private final GrepOptions options;
        private final boolean colored;
        private final @Nullable Replacement replacement;
        private final String name;
        private final byte[] matchName;
        private final byte[] contextName;
        private boolean isHeaded;

        Text(QueriedFile file, OutputStream out, FileSearch search, GrepOptions options, boolean colored) {
            super(file, out, search);
            this.options = options;
            this.colored = colored;
            replacement = options.replacement == null ? null : new Replacement(options.replacement);
            name = options.isAnonymous() ? "" : colored ? "\u001b[35m" + file + "\u001b[0m" : file.toString();
            boolean isInFront = !name.isEmpty() && !options.heading;
            matchName = utf8(isInFront ? name + ':' : "");
            contextName = utf8(isInFront ? name + '-' : "");
        }

        /** The shown part of a line, and where its matches are: offsets of begins and ends in turn. */
        private record Shown(byte[] bytes, List<Integer> spans, boolean isCounted) {}

        @Override
        public void line(Line line) throws IOException {
            if (options.hasHeading() && !isHeaded) {
                isHeaded = true;
                out.write(utf8(name + "\n"));
            }
            Shown shown = shown(line);
            if (!options.onlyMatching || options.inverted) {
                prefix(line);
                if (isTooLong(shown.bytes.length + (line.ends() && shown.spans.isEmpty() ? 1 : 0))) {
                    omitted(line, shown);
                } else {
                    bytes(shown);
                }
                out.write(NEWLINE);
            } else {
                for (int i = 0; i < shown.spans.size(); i += 2) {
                    int from = shown.spans.get(i);
                    int to = shown.spans.get(i + 1);
                    prefix(line);
                    if (isTooLong(to - from)) {
                        out.write(utf8("[Omitted long matching line]"));
                    } else {
                        color(shown.bytes, from, to);
                    }
                    out.write(NEWLINE);
                }
            }
        }

        private Shown shown(Line line) {
            List<Integer> spans = new ArrayList<>();
            boolean isWanted = options.onlyMatching || colored || options.stats;
            if (!line.matches() || options.inverted || (!isWanted && replacement == null)) {
                return new Shown(line.bytes(), spans, false);
            }
            LineSpans taker = (from, to) -> {
                spans.add(from);
                spans.add(to);
            };
            byte[] bytes = line.bytes();
            if (replacement == null) {
                search.spans(line, taker);
            } else {
                bytes = finder.replaced(bytes, replacement, taker);
            }
            return new Shown(bytes, spans, true);
        }

        private boolean isTooLong(int bytes) {
            return options.maxColumns > 0 && bytes > options.maxColumns;
        }

        private void omitted(Line line, Shown shown) throws IOException {
            int matches = shown.isCounted ? matches(line) : 0;
            out.write(utf8(
                    !line.matches()
                            ? "[Omitted long context line]"
                            : matches > 0
                                    ? "[Omitted long line with " + matches + " matches]"
                                    : "[Omitted long matching line]"));
        }

        /** Returns the number of matches before they are replaced: an empty one behind the last line is none. */
        private int matches(Line line) {
            int[] count = {0};
            int behind = line.ends() ? line.bytes().length + 1 : line.bytes().length;
            search.spans(line, (from, to) -> count[0] += from < behind ? 1 : 0);
            return count[0];
        }

        private void prefix(Line line) throws IOException {
            out.write(line.matches() ? matchName : contextName);
            if (line.number() > 0) {
                String number = Long.toString(line.number());
                char sign = line.matches() ? ':' : '-';
                out.write(utf8((colored ? "\u001b[32m" + number + "\u001b[0m" : number) + sign));
            }
        }

        private void bytes(Shown shown) throws IOException {
            int done = 0;
            for (int i = 0; colored && i < shown.spans.size(); i += 2) {
                out.write(shown.bytes, done, shown.spans.get(i) - done);
                done = shown.spans.get(i + 1);
                color(shown.bytes, shown.spans.get(i), done);
            }
            out.write(shown.bytes, done, shown.bytes.length - done);
        }

        private void color(byte[] bytes, int from, int to) throws IOException {
            boolean isRed = colored && from < to;
            out.write(isRed ? RED : EMPTY);
            out.write(bytes, from, to - from);
            out.write(isRed ? RESET : EMPTY);
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
        public void end(long matches) {}
    }

    /** The messages of {@code rg --json}, with host and version beside the path. */
    static final class Json extends GrepSink {
        private boolean begun;
        private long binary = -1;
        private long committedMs = -1;

        Json(QueriedFile file, OutputStream out, FileSearch search) {
            super(file, out, search);
        }

        @Override
        void committed(long timeMs) {
            committedMs = timeMs;
        }

        @Override
        public void line(Line line) throws IOException {
            begin();
            JsonWriter json = message(line.matches() ? "match" : "context");
            text(json.name("lines"), line.bytes(), 0, line.bytes().length, line.ends());
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
                search.spans(line, (from, to) -> {
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
        public void end(long matches) throws IOException {
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
            json.name("data").beginObject().member("host", file.host().name());
            byte[] path = file.path().bytes();
            text(json.name("path"), path, 0, path.length, false);
            return json.member("version", ArchiveLayout.hex(file.version().id()));
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
