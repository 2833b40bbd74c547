package io.chagres.cli.config;

import io.chagres.cli.text.JsonWriter;
import io.chagres.linux.Pathname;

/** A fault of a configuration file, its place and its cure. Never holds a secret. Immutable.
 *
 * @param file the file that it is in
 * @param line counted from 1; 0 when it is the file as a whole
 * @param column counted from 1
 */
public record ConfigProblem(String file, int line, int column, String cause, String fix) {
    /** Shows what stands in the file as the names of files are shown: it may control a terminal. */
    public ConfigProblem {
        cause = Pathname.of(cause.replace("\0", "\\x00")).toString();
    }

    /** Returns the problem as one line, in the form that editors understand. */
    public String text() {
        return file + (line == 0 ? "" : ":" + line + ":" + column) + ": " + cause + (cause.endsWith("?") ? "" : ".")
                + " Fix: " + fix + ".";
    }

    /** Returns the problem as one JSON object. */
    public JsonWriter json() {
        JsonWriter json = new JsonWriter().beginObject().member("file", file);
        json.member("line", line).member("column", column);
        return json.member("cause", cause).member("fix", fix).endObject();
    }
}
