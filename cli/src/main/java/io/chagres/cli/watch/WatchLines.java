package io.chagres.cli.watch;

import io.chagres.cli.command.Output;
import io.chagres.cli.text.JsonWriter;
import io.chagres.foreign.Errno;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchListener;
import io.chagres.watch.WatchedDirectory;
import java.io.IOException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** Prints events as lines or JSON. Confined to the watcher's thread. */
final class WatchLines implements WatchListener {
    private final Output out;
    private final PrintStream err;
    private final boolean json;
    private boolean started;
    private @Nullable IOException failure;

    WatchLines(Output out, PrintStream err, boolean json) {
        this.out = out;
        this.err = err;
        this.json = json;
    }

    /** From now on names that appear are new. */
    void start() {
        started = true;
    }

    boolean started() {
        return started;
    }

    /**
     * Hands the lines to the reader.
     *
     * @throws IOException also the failure of an earlier line
     */
    void flush() throws IOException {
        if (failure != null) {
            throw failure;
        }
        out.flush();
    }

    @Override
    public void appeared(Dentry d) {
        if (started) {
            event("CREATE", d.path(), null);
        }
    }

    @Override
    public void modified(Dentry d) {
        event("MODIFY", d.path(), null);
    }

    @Override
    public void closed(Dentry d) {
        event("CLOSE", d.path(), null);
    }

    @Override
    public void attributes(Dentry d) {
        event("ATTRIB", d.path(), null);
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        event("RENAME", fromParent.path().resolve(fromName), d.path());
    }

    @Override
    public void vanished(Dentry d, boolean movedOut) {
        event(movedOut ? "MOVED_OUT" : "DELETE", d.path(), null);
    }

    @Override
    public void overflow() {
        event("OVERFLOW", null, null);
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        err.println("chagres watch: " + path + ": " + what + (errno == 0 ? "" : ": " + Errno.message(errno)));
    }

    private void event(String kind, @Nullable Pathname path, @Nullable Pathname to) {
        try {
            out.line(json ? jsonLine(kind, path, to) : line(kind, path, to));
        } catch (IOException e) {
            failure = e; // the listener cannot throw; flush() does
        }
    }

    private static String line(String kind, @Nullable Pathname path, @Nullable Pathname to) {
        String line = path == null ? kind : kind + " " + path;
        return to == null ? line : line + " -> " + to;
    }

    private static String jsonLine(String kind, @Nullable Pathname path, @Nullable Pathname to) {
        JsonWriter json = new JsonWriter().beginObject().member("event", kind);
        member(json, "path", path);
        member(json, "to", to);
        return json.endObject().toString();
    }

    private static void member(JsonWriter json, String name, @Nullable Pathname path) {
        if (path == null) {
            return;
        }
        json.member(name, path.toString());
        String glob = Glob.quoted(path);
        if (glob.indexOf('\\') >= 0) { // the text for people may not say which bytes the name has
            json.member(name + "Glob", glob);
        }
    }
}
