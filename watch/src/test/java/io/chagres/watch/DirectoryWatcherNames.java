package io.chagres.watch;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A {@link DirectoryWatcher}. */
final class DirectoryWatcherNames implements NameWatch, WatchListener {
    private final DirectoryWatcher watcher;
    private final Path top;
    private final Set<Dentry> known = new HashSet<>();
    private final List<String> told = new ArrayList<>();

    DirectoryWatcherNames(Path top, List<Path> roots) throws IOException {
        this.top = top;
        watcher = DirectoryWatcher.builder(
                        roots.stream().map(each -> Pathname.of(each.toString())).toArray(Pathname[]::new))
                .clock(InstantSource.system())
                .open();
        settle();
        told.clear();
    }

    @Override
    public void settle() {
        Await.until("settled", () -> {
            try {
                watcher.poll(0, this);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return watcher.settled();
        });
    }

    @Override
    public Set<String> names() {
        Set<String> names = new HashSet<>();
        known.forEach(each -> names.add(shown(each.path())));
        return names;
    }

    @Override
    public List<String> told() {
        return told;
    }

    private String shown(Pathname path) {
        return top.relativize(Path.of(path.toString())).toString();
    }

    private void tell(String what, Dentry... names) {
        StringBuilder line = new StringBuilder(what);
        Stream.of(names).forEach(each -> line.append(' ').append(shown(each.path())));
        told.add(line.toString());
    }

    @Override
    public void appeared(Dentry d) {
        known.add(d);
        tell("+", d);
    }

    @Override
    public void modified(Dentry d) {
        tell("~", d);
    }

    @Override
    public void closed(Dentry d) {
        tell("closed", d);
    }

    @Override
    public void attributes(Dentry d) {
        tell("~", d);
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        tell("> " + shown(fromParent.path().resolve(fromName)), d);
    }

    @Override
    public void vanished(Dentry d, boolean movedOut) {
        known.remove(d);
        tell("-", d);
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        told.add("! " + path + " " + what);
    }

    @Override
    public void close() {
        watcher.close();
    }
}
