package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rebuilds the tree from the calls alone, and checks that each call makes sense. */
class ModelListener implements WatchListener {
    final List<String> log = new ArrayList<>();
    final Map<Dentry, String> paths = new HashMap<>();
    final Map<String, Dentry> names = new TreeMap<>();
    final List<String> problems = new ArrayList<>();
    private final String prefix;
    int overflows;
    boolean keepsLog = true;

    ModelListener(String prefix) {
        this.prefix = prefix;
    }

    private void log(String what) {
        if (keepsLog) {
            log.add(what);
        }
    }

    private String shown(String path) {
        return path.startsWith(prefix) ? path.substring(prefix.length()) : path;
    }

    @Override
    public void appeared(Dentry d) {
        String path = d.path().toString();
        log("appeared " + shown(path));
        assertThat(d.exists()).isTrue();
        assertThat(names.put(path, d)).as("second appearance of %s", path).isNull();
        paths.put(d, path);
    }

    private void known(Dentry d) {
        assertThat(d.exists()).isTrue();
        assertThat(paths).containsKey(d);
    }

    @Override
    public void modified(Dentry d) {
        known(d);
        log("modified " + shown(d.path().toString()));
    }

    @Override
    public void closed(Dentry d) {
        known(d);
        log("closed " + shown(d.path().toString()));
    }

    @Override
    public void attributes(Dentry d) {
        known(d);
        log("attributes " + shown(d.path().toString()));
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        known(d);
        String from = fromParent.path().resolve(fromName).toString();
        String to = d.path().toString();
        log("renamed " + shown(from) + " " + shown(to));
        assertThat(names.remove(paths.get(d))).isSameAs(d);
        assertThat(names.put(to, d)).as("replaced without a word: %s", to).isNull();
        paths.put(d, to);
        Map<String, Dentry> below = new HashMap<>(names);
        below.forEach((path, each) -> {
            if (each != d && isBelow(each, d)) {
                names.remove(path);
                String moved = each.path().toString();
                names.put(moved, each);
                paths.put(each, moved);
            }
        });
    }

    private static boolean isBelow(Dentry d, Dentry directory) {
        for (WatchedDirectory up = d.parent(); up != null; up = up.parent()) {
            if (up == directory) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void vanished(Dentry d, boolean movedOut) {
        String path = paths.remove(d);
        log((movedOut ? "moved out " : "vanished ") + shown(String.valueOf(path)));
        assertThat(path).isNotNull();
        assertThat(d.exists()).isFalse();
        assertThat(names.remove(path)).isSameAs(d);
        assertThat(paths.keySet().stream().filter(each -> each.parent() == d)).isEmpty();
    }

    @Override
    public void overflow() {
        overflows++;
        log("overflow");
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        problems.add(shown(path.toString()) + ": " + what);
    }
}
